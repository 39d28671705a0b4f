// Drives what boards do under the finger and how runs are listed, on runs of several
// puzzles.
//
//   node player.mjs URL SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { expect, open } from "./harness.mjs";

const [, , base, shots] = process.argv;
const { page, expected, step, shot, accessible, end } = await open(base, shots);

const at = async (run, more = "") => {
  await page.goto(`${base}/#/r/${run}/s${more}`);
  await page.locator(".stage-board svg").waitFor();
  await page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
};
const piece = (i) => page.locator(`.stage-board [data-piece="${i}"]`);
const pieces = () => page.locator(".stage-board [data-piece]").count();
const undo = page.getByRole("button", { name: "Undo (u)" });
const middle = (b) => [b.x + b.width / 2, b.y + b.height / 2];

// held drags a piece with the server silent, and returns where it is then.
async function held(i, dx, dy, drop = false) {
  const before = await piece(i).boundingBox();
  const [x, y] = middle(before);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx / 2, y + dy / 2, { steps: 4 });
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const after = await piece(i).boundingBox();
  if (!drop) {
    // Back to where it was: nothing is moved.
    await page.mouse.move(x, y, { steps: 4 });
    await page.mouse.up();
  }
  return [after.x - before.x, after.y - before.y, before];
}

await step("a piece follows the finger and stops at others, without the server", async () => {
  await at("cars");
  expected.push("ERR_FAILED");
  const silent = (route) => route.abort();
  await page.route("**/api/runs/**", silent);
  let moved = 0;
  for (let i = 0; i < (await pieces()); i++) {
    const { width, height } = await piece(i).boundingBox();
    const cell = Math.min(width, height) * 1.1;
    for (const [dx, dy] of [[0.4, 0], [-0.4, 0], [0, 0.4], [0, -0.4]]) {
      const [x, y] = await held(i, dx * cell, dy * cell);
      if (Math.hypot(x, y) < 2) continue;
      moved++;
      expect(`piece ${i} is at ${x}, ${y} under a finger at ${dx * cell}, ${dy * cell}`, Math.hypot(x - dx * cell, y - dy * cell) < 4);
      // Far beyond the board it stays on it.
      const [fx, fy, was] = await held(i, dx * 50 * cell, dy * 50 * cell);
      const board = await page.locator(".stage-board svg").boundingBox();
      expect(`piece ${i} leaves the board`, was.x + fx > board.x - 1 && was.y + fy > board.y - 1 && was.x + fx + was.width < board.x + board.width + 1 && was.y + fy + was.height < board.y + board.height + 1);
      for (let k = 0; k < (await pieces()); k++) {
        if (k === i) continue;
        const o = await piece(k).boundingBox();
        const over = Math.min(o.x + o.width, was.x + fx + was.width) - Math.max(o.x, was.x + fx);
        const below = Math.min(o.y + o.height, was.y + fy + was.height) - Math.max(o.y, was.y + fy);
        expect(`piece ${i} lies on piece ${k}`, over < 3 || below < 3);
      }
    }
  }
  expect("no piece moves", moved > 0);
  expect("something was moved", await undo.isDisabled());
  await page.unroute("**/api/runs/**", silent);
});

await step("a piece is dragged over several cells, and one undo takes it back", async () => {
  await at("cars");
  const before = page.url();
  for (let i = 0; i < (await pieces()); i++) {
    const box = await piece(i).boundingBox();
    const cell = Math.min(box.width, box.height) * 1.1;
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      const [x, y] = await held(i, dx * 50 * cell, dy * 50 * cell);
      if (Math.hypot(x, y) < 1.5 * cell) continue;
      await held(i, dx * 50 * cell, dy * 50 * cell, true);
      await page.mouse.up();
      await page.waitForFunction(() => document.querySelectorAll(".moves li").length >= 2);
      await shot("40-dragged-far");
      await page.keyboard.press("u");
      await page.waitForFunction((u) => location.href === u, before);
      return;
    }
  }
  throw new Error("no piece can go two cells far");
});

await step("who leaves the player in the middle of a move is not brought back", async () => {
  await at("cars");
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves li").length >= 2);
  await page.evaluate(() => {
    location.hash = "#/r/cars/states";
    document.querySelector("[aria-label^=Next]").click(); // the page hears of the new address later
  });
  await page.getByRole("heading", { level: 1, name: "States of cars" }).waitFor();
  expect(`the address is ${page.url()}`, page.url().endsWith("#/r/cars/states"));
});

await step("a move that is pressed twice is made once", async () => {
  await at("cars");
  await page.locator(".values button").first().waitFor();
  await page.evaluate(() => {
    const move = document.querySelector(".values button");
    move.click();
    move.click();
  });
  await page.waitForFunction(() => location.hash.includes("moves="));
  await page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
  const said = await page.locator(".moves li").allTextContents();
  expect(`the moves are ${said}`, said.length === 1);
});

await step("a path that comes late does not take moves back", async () => {
  await at("cars");
  await page.locator(".values button").first().waitFor();
  let answered = () => {};
  const done = new Promise((f) => { answered = f; });
  await page.route("**/path/**", async (route) => {
    await page.locator(".values button").last().click();
    await page.waitForFunction(() => location.hash.includes("moves="));
    await route.continue();
    answered();
  });
  const answer = page.waitForResponse("**/path/**");
  await page.getByRole("button", { name: "Solve from here" }).click();
  await done;
  await (await answer).finished();
  await page.evaluate(() => new Promise((f) => setTimeout(f, 200)));
  await page.unroute("**/path/**");
  const said = await page.locator(".moves li").allTextContents();
  expect(`the moves are ${said}`, said.length === 1 && page.url().includes("moves="));
});

await step("a drag that the server does not answer is not the last one", async () => {
  await at("cars");
  const silent = (route) => route.abort();
  const tries = async (drop) => {
    for (let i = 0; i < (await pieces()); i++) {
      const { width, height } = await piece(i).boundingBox();
      const cell = Math.min(width, height) * 1.1;
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        const [x, y] = await held(i, dx * cell, dy * cell, drop);
        if (drop) await page.mouse.up();
        if (Math.hypot(x, y) > 0.5 * cell) return true;
      }
    }
    return false;
  };
  await page.route("**/api/runs/**", silent);
  const failed = page.waitForEvent("requestfailed");
  expect("nothing moves while the server is away", await tries(true));
  await failed;
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  await page.unroute("**/api/runs/**", silent);
  expect("nothing moves afterwards", await tries(false));
});

await step("a game has its own sprites and is played with the arrow keys", async () => {
  await at("game");
  const colours = async () => new Set(await page.locator(".stage-board svg [fill]").evaluateAll((all) => all.map((e) => getComputedStyle(e).fill)));
  expect(`the colours are ${[...(await colours())]}`, (await colours()).size >= 5);
  const moves = async () => page.locator(".moves li").allTextContents();
  for (const [key, want] of [["ArrowUp", "up"], ["ArrowRight", "up right"], ["u", "up"], ["u", ""], ["ArrowRight", "right"]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((w) => [...document.querySelectorAll(".moves li")].map((e) => e.textContent.trim()).join(" ") === w, want)
      .catch(async () => { throw new Error(`after ${key} the moves are ${await moves()}, want ${want}`); });
  }
  await shot("44-game");
});

await step("a disc falls on the tower that it is above", async () => {
  await at("hanoi");
  const n = await pieces();
  const smallest = n - 1;
  const board = await page.locator(".stage-board svg").boundingBox();
  const box = await piece(smallest).boundingBox();
  const [x, y] = middle(box);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // High above the last peg, and not exactly above it.
  await page.mouse.move(board.x + board.width * 0.8, board.y + 4, { steps: 6 });
  await shot("41-hanoi-lifted");
  await page.mouse.up();
  await page.locator(".moves li").first().waitFor();
  const said = await page.locator(".moves li").allTextContents();
  expect(`the move is ${said}`, said.length === 1 && said[0] === "1-3");
  // It has fallen when the animation ends.
  await page.waitForFunction(([i, was]) => document.querySelector(`.stage-board [data-piece="${i}"]`).getBoundingClientRect().y > was, [smallest, y]);
});

await step("a player walks to the box that it pushes", async () => {
  await at("sokoban");
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").first().waitFor();
  // What the page animates when it steps on.
  await page.evaluate(() => {
    window.walked = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, o) {
      if (Array.isArray(frames)) window.walked = Math.max(window.walked, frames.length);
      return animate.call(this, frames, o);
    };
  });
  const moves = await page.locator(".moves li").count();
  for (let i = 0; i < moves; i++) {
    await page.keyboard.press("n");
    await page.locator(".neighbours:not(.stale) .state-card").first().waitFor(); // a board that is skipped is not walked on
  }
  await page.locator(".goal-mark").waitFor();
  expect(`the longest walk has ${await page.evaluate(() => window.walked)} places`, (await page.evaluate(() => window.walked)) > 2);
  await shot("42-sokoban");
});

await step("a board without pieces to drag says what to do", async () => {
  await at("sudoku");
  const said = await page.locator(".keys").textContent();
  expect(`it says ${said}`, said.includes("Press a move") && !said.includes("Drag"));
  await at("klotski");
  expect("Klotski has pieces to drag", (await page.locator(".keys").textContent()).includes("Drag pieces"));
  await shot("43-klotski");
  await accessible("the player of Klotski");
});

await step("goals and states that cannot reach one are more than a colour", async () => {
  await page.goto(`${base}/#/r/sokoban/graph`);
  await page.locator("canvas.gl").waitFor();
  await page.getByText("grey: no goal can be reached").waitFor();
  await page.waitForTimeout(300);
  await shot("44-graph-goals");
  await accessible("the graph of Sokoban");
});

await step("a run's course over time, and its colours", async () => {
  await page.goto(`${base}/#/r/klotski`);
  await page.locator(".curve polyline").first().waitFor();
  const names = await page.locator(".curves h3").allTextContents();
  expect(`${names}`, names.includes("States per second") && names.includes("Disk"));
  const fills = await page.locator(".figure.goal .bars rect").evaluateAll((all) => [all[0], all.at(-1)].map((el) => el.style.fill));
  expect(`bars of one colour: ${fills}`, fills[0] !== fills[1]);
  const first = await page.locator(".figure.forward .bars rect").first().evaluate((el) => el.style.fill);
  expect(`depth begins with ${first}, goal distance with ${fills[0]}`, first === fills[0]);
  await shot("45-course", true);
  await accessible("a run over time");
});

await step("the list has boards, directories and columns, and deletes", async () => {
  await page.goto(`${base}/#/`);
  await page.locator(".run-row").nth(4).waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll(".run-thumb")].every((img) => img.complete && img.naturalWidth > 0));
  await shot("46-list", true);
  expect("no directory", (await page.locator(".run-dir").first().textContent()).includes("runs"));
  const columns = await page.locator(".run-row .facts").evaluateAll((all) => all.map((dl) => [...dl.children].map((el) => Math.round(el.getBoundingClientRect().left)).join()));
  expect(`columns differ: ${columns.join(" / ")}`, new Set(columns).size === 1);
  await accessible("the list of runs");
  const row = page.locator(".run-row", { hasText: "hanoi" });
  const remove = row.getByRole("button");
  await remove.filter({ hasText: "Delete" }).click();
  await page.keyboard.press("Tab"); // elsewhere: nothing happens
  await row.getByRole("button", { name: "Delete", exact: true }).click();
  await row.getByRole("button", { name: "Delete for good?" }).click();
  await row.waitFor({ state: "detached" });
  await page.reload();
  await page.locator(".run-row").first().waitFor();
  expect("it is still there", (await page.locator(".run-row", { hasText: "hanoi" }).count()) === 0);
});

await step("disabled buttons can be read", async () => {
  await at("cars");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const least = await page.evaluate(() => {
      const light = (css) => {
        const [r, g, b] = css.match(/[\d.]+/g).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      return Math.min(...[...document.querySelectorAll("button:disabled")].map((el) => {
        const { color, backgroundColor, opacity } = getComputedStyle(el);
        const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x);
        return (opacity * (a + 0.05)) / (b + 0.05);
      }));
    });
    expect(`${colorScheme}: the contrast is ${least}`, least >= 4.5);
  }
});

await end();
