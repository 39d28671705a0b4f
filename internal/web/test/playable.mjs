// Plays files that were sent by themselves: from the disk, without a network.
//
//   node playable.mjs FILE OTHER-FILE SCREENSHOT-DIR
import { pathToFileURL } from "node:url";
import { expect, open } from "./harness.mjs";

const [, , file, other, shots] = process.argv;
const base = pathToFileURL(file).href;
const { page, step, shot, accessible, end } = await open("file:", shots);
await page.context().setOffline(true);
await page.emulateMedia({ reducedMotion: "reduce" }); // pieces are where they are

// number is the distance to the goal that the page tells.
const number = () => page.locator(".distance .number").textContent().then(Number);

await step("a file from the disk is played to the goal by dragging", async () => {
  await page.goto(base);
  await page.locator(".stage-board .hint-mark").first().waitFor();
  await shot("50-playable");
  const begin = await number();
  expect(`the start is ${begin} moves from the goal`, begin > 3);
  const dragged = 3; // the rest is pressed
  for (let left = begin; left > 0; left--) {
    // The mark of a move that leads nearer is where its piece goes.
    const mark = page.locator(".stage-board .hint-mark.nearer").first();
    const piece = await mark.getAttribute("data-of");
    if (left <= begin - dragged) {
      await mark.dispatchEvent("click");
      if (left > 1) await page.locator(".distance .number", { hasText: new RegExp(`^${left - 1}$`) }).waitFor();
      continue;
    }
    const box = await page.locator(`.stage-board [data-piece="${piece}"]`).boundingBox();
    const to = await mark.boundingBox();
    const cell = Math.min(box.width, box.height) / 2;
    const aim = { x: to.x + to.width / 2, y: to.y + to.height / 2 };
    const within = (at, from, size) => Math.min(from + size - cell, Math.max(from + cell, at));
    await page.mouse.move(within(aim.x, box.x, box.width), within(aim.y, box.y, box.height));
    await page.mouse.down();
    await page.mouse.move(aim.x, aim.y, { steps: 4 });
    await page.mouse.up();
    await page.locator(".distance .number", { hasText: new RegExp(`^${left - 1}$`) }).waitFor();
  }
  await page.locator(".goal-mark").waitFor();
  await shot("51-playable-goal");
});

await step("every move of the board bears its value", async () => {
  await page.goto(`${base}#/`);
  await page.reload();
  const here = await number();
  const moves = page.locator(".values button");
  await moves.first().waitFor();
  const all = await moves.evaluateAll((bs) => bs.map((b) => ({ name: b.querySelector("b").textContent, value: b.dataset.value, text: b.textContent })));
  expect("there are moves", all.length > 0);
  for (let i = 0; i < all.length; i++) {
    await moves.nth(i).click();
    await page.locator(".where", { hasText: `by ${all[i].name}` }).waitFor();
    const there = await number();
    const want = there < here ? "nearer" : there > here ? "farther" : "same";
    expect(`${all[i].name} is said to be ${all[i].value}, and leads from ${here} to ${there}`, all[i].value === want);
    await page.keyboard.press("u");
    await page.waitForFunction((n) => document.querySelectorAll(".values button").length === n, all.length);
  }
});

await step("the solution is a film, and the graph turns", async () => {
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").first().waitFor();
  await page.getByLabel("Speed").selectOption("50");
  await page.locator("main").focus();
  await page.keyboard.press(" ");
  await page.locator(".goal-mark").waitFor();
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await page.locator("canvas.gl").waitFor();
  await page.getByRole("button", { name: "Hardest" }).click();
  await page.getByRole("button", { name: "Path to the goal" }).click();
  await page.getByText(/moves to the goal/).waitFor();
});

await step("a piece that is dragged beside the graph moves the state in it", async () => {
  const canvas = page.locator("canvas.gl");
  const before = await canvas.getAttribute("data-selected");
  await page.locator(".selection .hint-mark.nearer").first().dispatchEvent("click");
  await page.waitForFunction((i) => document.querySelector("canvas.gl").dataset.selected !== i, before);
  await page.waitForFunction(() => /view=/.test(location.hash));
  await shot("52-playable-graph");
});

await step("an address brings the graph back as it was seen", async () => {
  const canvas = page.locator("canvas.gl");
  const before = page.url();
  await canvas.press("ArrowLeft");
  await page.waitForFunction((u) => location.href !== u, before);
  const seen = [page.url(), await canvas.getAttribute("data-selected")];
  await page.reload();
  await page.locator(".selection .hint-mark").first().waitFor();
  await page.waitForFunction(() => document.querySelector("canvas.gl").dataset.selected !== "-1");
  const again = [page.url(), await canvas.getAttribute("data-selected")];
  expect(`${seen} comes back as ${again}`, seen.join() === again.join());
});

await step("an address brings a way back, and the place on it", async () => {
  await page.goto(`${base}#/r/x/s`);
  const where = page.locator(".where");
  const comesBack = async (says) => {
    await page.locator(".where", { hasText: says }).waitFor();
    await page.waitForFunction(() => /place=/.test(location.hash));
    const [address, place] = [page.url(), await where.textContent()];
    await page.goto("about:blank");
    await page.goto(address);
    await page.locator(".where", { hasText: says }).waitFor();
    expect(`${place} comes back as ${await where.textContent()}`, place === await where.textContent() && page.url() === address);
  };
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").first().waitFor();
  for (const _ of "123") await page.keyboard.press("n");
  await comesBack(/, 3 of/);
  await page.locator(".values [data-value=farther], .values [data-value=same]").first().click(); // not the way any more
  await comesBack(/, 4 of 4 moves/);
});

await step("it is accessible, light and dark, and fits a phone", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.goto(`${base}#/r/x/s`);
    await page.locator(".values button").first().waitFor();
    await accessible(colorScheme); // the other views are the page's, which another script looks at
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${base}#/r/x/s`);
  await page.locator(".values button").first().waitFor();
  await shot("53-playable-phone");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(`it is ${wide} pixels wide`, wide <= 390);
  const solve = await page.getByRole("button", { name: "Solve from here" }).boundingBox();
  expect(`the button to solve ends ${solve.y + solve.height} pixels below the top`, solve.y + solve.height <= 800);
  expect("there is nothing about keys", !(await page.locator(".keyboard").isVisible()));
});

await step("a puzzle without dragging is played by buttons", async () => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(pathToFileURL(other).href);
  await page.locator(".values button").first().waitFor();
  await shot("54-playable-buttons");
  for (let left = await number(); left > 0; left--) {
    await page.locator(".values [data-value=nearer]").first().click();
    if (left > 1) await page.locator(".distance .number", { hasText: new RegExp(`^${left - 1}$`) }).waitFor();
  }
  await page.locator(".goal-mark").waitFor();
});

await end();
