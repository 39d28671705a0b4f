// Drives puzzles whose boards are no grids of squares, two runs side by side, and a board
// under a finger on a small screen.
//
//   node shapes.mjs URL SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { expect, open } from "./harness.mjs";

const [, , base, shots] = process.argv;
const { page, step, shot, accessible, end } = await open(base, shots);

const at = async (run) => {
  await page.goto(`${base}/#/r/${run}/s`);
  await page.locator(".stage-board svg").waitFor();
  await page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
};
const piece = (i) => page.locator(`.stage-board [data-piece="${i}"]`);
const count = () => page.locator(".stage-board [data-piece]").count();
const centre = async (el) => {
  const b = await el.boundingBox();
  return [b.x + b.width / 2, b.y + b.height / 2];
};
const centres = async () => Promise.all(Array.from({ length: await count() }, (_, i) => centre(piece(i))));
const still = () => page.evaluate(() => Promise.all(document.getAnimations().map((a) => a.finished.catch(() => {}))));
const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

await step("TopSpin is a ring that turns", async () => {
  await at("topspin");
  const all = await centres();
  expect(`${all.length} tokens`, all.length === 8);
  const middle = [0, 1].map((k) => all.reduce((sum, c) => sum + c[k], 0) / all.length);
  const radii = all.map((c) => far(c, middle));
  expect(`distances from the middle: ${radii.map(Math.round)}`, Math.max(...radii) - Math.min(...radii) < 2 && radii[0] > 60);
  await shot("60-topspin");
  await accessible("the player of TopSpin");
});

await step("a token is dragged along its ring", async () => {
  await at("turntable");
  await still();
  const before = await centres();
  await page.mouse.move(...before[1]);
  await page.mouse.down();
  await page.mouse.move(...before[2], { steps: 6 });
  await page.mouse.up();
  await page.locator(".moves li").first().waitFor();
  await still();
  const after = await centres();
  expect(`token 2 is ${far(after[1], before[2])} from where it was dragged`, far(after[1], before[2]) < 3);
  expect(`token 1 is ${far(after[0], before[1])} from where the ring takes it`, far(after[0], before[1]) < 3);
  await shot("61-turntable");
});

await step("rings are rings", async () => {
  await at("rings");
  const all = await centres();
  const box = await page.locator(".stage-board svg").boundingBox();
  expect("the board is a row", box.height > 0.5 * box.width && all.length === 14);
  await shot("62-rings");
});

await step("towers and sprites are large", async () => {
  await at("hanoi");
  const board = await page.locator(".stage-board svg").boundingBox();
  const disc = await piece((await count()) - 1).boundingBox();
  expect(`the towers are ${board.width} wide, a disc ${disc.height} high`, board.width > 600 && disc.height > 20);
  await shot("63-hanoi");
  await at("game");
  const colours = await page.locator(".stage-board svg path").evaluateAll((all) => new Set(all.map((el) => el.getAttribute("fill"))).size);
  expect(`the game has ${colours} colours`, colours > 3);
  await shot("64-sprites");
});

await step("each move of a ring and of a stack bears its value there", async () => {
  for (const [run, moves] of [["topspin", 8], ["turntable", 8], ["rings", 4], ["pancake", 4]]) {
    await at(run);
    const marks = page.locator(".stage-board .hint-mark");
    await page.waitForFunction((n) => document.querySelectorAll(".stage-board .hint-mark").length >= n, moves).catch(() => {});
    const there = await marks.count();
    expect(`${run}: ${there} of ${moves} moves have a mark`, there === moves);
    for (const value of ["nearer", "same", "farther", "lost"]) {
      const [marked, listed] = await Promise.all([marks.and(page.locator(`.${value}`)).count(), page.locator(`.values [data-value=${value}]`).count()]);
      expect(`${run}: ${marked} marks and ${listed} buttons are ${value}`, marked === listed);
    }
    await shot(`69-values-${run}`);
    const name = await marks.first().getAttribute("data-move");
    await marks.first().click();
    await page.waitForFunction((w) => document.querySelector(".moves li")?.textContent.trim() === w, name);
  }
});

await step("two metrics of a board side by side", async () => {
  await page.goto(`${base}/#/r/steps/compare`);
  await page.getByLabel(/Compare steps with/).selectOption("slides");
  const sides = page.locator(".pair .stage-main");
  await sides.nth(1).locator(".values button").first().waitFor();
  const row = await page.locator(".pair-table tr", { hasText: "Counted as a move" }).textContent();
  expect(`it says ${row}`, row.includes("step") && row.includes("slide"));
  const board = (i) => sides.nth(i).locator(".stage-board").getAttribute("aria-label");
  const began = await board(0);
  expect("the boards differ", began === await board(1));
  const names = (i) => sides.nth(i).locator(".values button").count();
  expect("steps and slides are as many", (await names(0)) < (await names(1)));
  await sides.nth(0).locator(".values button").first().click();
  await page.waitForFunction((was) => [...document.querySelectorAll(".pair .stage-board")].every((el) => el.getAttribute("aria-label") !== was), began);
  expect("the second board does not follow", (await board(0)) === (await board(1)));
  await sides.nth(1).locator(".hint-mark").first().waitFor();
  expect("no mark on the board", (await sides.nth(1).locator(".hint-mark").count()) > 0);
  const now = await board(0);
  await page.reload();
  await sides.nth(1).locator(".values button").first().waitFor();
  expect("a reload brings other boards", (await board(0)) === now && (await board(1)) === now);
  await accessible("two runs side by side");
  for (const [name, width, colorScheme] of [["65-compare", 1440, "light"], ["66-compare-dark", 1024, "dark"], ["67-compare-phone", 390, "light"], ["67-compare-small-phone", 360, "light"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(`at ${width} the page is ${wide} wide`, wide <= width);
    const lines = await page.locator(".pair-table td").evaluateAll((cells) => cells.map((el) => {
      const range = document.createRange();
      range.selectNodeContents(el);
      return el.textContent.includes(" ") ? 1 : new Set([...range.getClientRects()].map((r) => r.top)).size;
    }));
    expect(`at ${width} a word is broken: ${lines}`, Math.max(...lines) === 1);
    await shot(name, true);
    await accessible(`two runs, ${name}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
});

await step("a finger drags a car on a telephone", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 1 });
  await at("steps");
  const cells = async () => page.locator(".stage-board").getAttribute("aria-label");
  const before = await cells();
  await page.waitForFunction(() => document.querySelectorAll(".hint-mark").length > 0);
  const mark = page.locator(".hint-mark").first();
  const own = piece(await mark.getAttribute("data-of"));
  const [x, y] = await centre(own);
  const [mx, my] = await centre(mark);
  const along = Math.abs(mx - x) > Math.abs(my - y);
  const to = [along ? mx : x, along ? y : my];
  const touch = (type, point) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: point ? [{ x: point[0], y: point[1] }] : [] });
  const scrolled = await page.evaluate(() => window.scrollY);
  await touch("touchStart", [x, y]);
  for (let i = 1; i <= 6; i++) await touch("touchMove", [x + ((to[0] - x) * i) / 6, y + ((to[1] - y) * i) / 6]);
  await touch("touchEnd");
  await page.locator(".moves li").first().waitFor();
  expect("the board is as it was", (await cells()) !== before);
  expect("the page scrolled", (await page.evaluate(() => window.scrollY)) === scrolled);
  await shot("68-finger");
});

await end();
