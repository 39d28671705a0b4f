// Edits boards with the mouse, the finger and the keyboard.
//
//   node edit.mjs URL BOARD-FILE SCREENSHOT-DIR
import { readFile } from "node:fs/promises";
import { expect, open } from "./harness.mjs";

const [, , base, boardFile, shots] = process.argv;
const board = await readFile(boardFile, "utf8");
const { page, expected, step, shot, accessible, end } = await open(base, shots);
await page.emulateMedia({ reducedMotion: "reduce" });
expected.push("422"); // boards that are wrong for a moment

const verdict = (words) => page.locator(".edit-result:not(.stale) .verdict", { hasText: words }).waitFor();
const states = async () => (await page.locator(".edit-result .numbers dd").first().textContent()).trim();
// changed waits until the number of states is, or is no longer, what it was.
const changed = (was, same = false) => page.waitForFunction(([was, same]) => {
  const now = document.querySelector(".edit-result:not(.stale) .numbers dd")?.textContent.trim();
  return now !== undefined && (now === was) === same;
}, [was, same]);
const at = (r, c) => page.locator(`.edit-board [data-at="${r},${c}"]`);
const centre = async (l) => { const b = await l.boundingBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
const drag = async (from, to) => {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
  await page.mouse.move(...to, { steps: 3 });
  await page.mouse.up();
};

await step("a board is edited from the page where it is pasted", async () => {
  await page.goto(base);
  await page.locator("#board").fill(board);
  await page.getByRole("button", { name: "Edit" }).click();
  await verdict("solved in 93");
  expect(`${await states()} states`, (await states()) === "24,132");
  await shot("60-edit");
  await accessible("the editor");
});

await step("the exit is marked beside the goal vehicle's line", async () => {
  const exit = page.locator(".edit-board [data-exit]");
  expect("not one exit", (await exit.count()) === 1);
  const marked = async () => (await exit.getAttribute("data-at")).split(",").map(Number);
  const side = page.locator("#edit-exit");
  const [row, right] = await marked();
  expect(`the exit is at ${row}, ${right}`, row === 2 && right === 5 && (await exit.getAttribute("aria-label")).includes("the exit"));
  await side.selectOption("left");
  await page.waitForFunction(() => document.querySelector(".edit-board [data-exit]")?.dataset.exit === "left");
  expect(`it is at ${await marked()}`, (await marked()).join() === "2,0");
  await side.selectOption("top");
  await page.waitForFunction(() => !document.querySelector(".edit-board [data-exit]"));
  await side.selectOption("right");
  await verdict("solved in 93");
});

await step("with every drop the numbers are new", async () => {
  const times = [];
  // M, at the bottom, out of the board; and in again, elsewhere.
  const before = await states();
  await drag(await centre(at(5, 2)), [8, 500]);
  await changed(before);
  times.push(await page.locator(".edit-result .numbers dd").last().textContent());
  const without = await states();
  await page.getByRole("button", { name: "Undo" }).click();
  await changed(before, true);
  times.push(await page.locator(".edit-result .numbers dd").last().textContent());
  console.log(`# ${before} states, ${without} without a vehicle; found in ${times.join(" and ")}`);
  const began = Date.now();
  await drag(await centre(page.getByRole("button", { name: "wall" })), await centre(at(3, 4)));
  await changed(before);
  console.log(`# ${Date.now() - began} ms from drag to numbers, as a hand would`);
  expect("no wall", (await at(3, 4).getAttribute("aria-label")).includes("wall"));
});

await step("the address brings the board back", async () => {
  const label = await states();
  await page.reload();
  await page.locator(".edit-result:not(.stale) .verdict").waitFor();
  expect("another board", (await states()) === label && (await at(3, 4).getAttribute("aria-label")).includes("wall"));
});

await step("a wrong board names the cell", async () => {
  await page.goto(`${base}/#/edit?board=${encodeURIComponent("puzzle: rush-hour\nmetric: step\nnotation: letters\ngoal: A\n\nAA.B\n...B\n..B.\n")}`);
  await page.locator(".edit-board .wrong").waitFor();
  const said = await page.locator(".edit-result .failure").textContent();
  expect(`it says ${said}`, /row \d+, column \d+/.test(said));
  await shot("61-edit-wrong");
  await accessible("a wrong board");
});

await step("a board is made with the keyboard alone", async () => {
  await page.goto(`${base}/#/edit`);
  await page.locator(".edit-result:not(.stale) .verdict").waitFor();
  await page.locator("#edit-family").selectOption("sokoban");
  await page.getByRole("button", { name: "New board" }).focus();
  await page.keyboard.press("Enter");
  await verdict("solved in 1");
  // A second box and a second target.
  for (const [name, r, c] of [["box", 3, 3], ["target", 4, 4]]) {
    await page.locator(".palette").getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowUp");
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowLeft");
    for (let i = 0; i < r; i++) await page.keyboard.press("ArrowDown");
    for (let i = 0; i < c; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await at(r, c).and(page.locator(`[aria-label*="${name}"]`)).waitFor();
  }
  await verdict("solved in 3");
  await shot("62-edit-sokoban");
  // The box is taken, put next to the wall, and then it is stuck.
  await at(3, 3).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await verdict("cannot be solved");
  await page.keyboard.press("Delete");
  await page.locator(".edit-result .failure").waitFor();
  await page.keyboard.press("Control+z");
  await verdict("cannot be solved");
});

await step("boards of the other puzzles", async () => {
  for (const family of ["blocks", "peg", "tiles", "rush-hour"]) {
    await page.locator("#edit-family").selectOption(family);
    await page.getByRole("button", { name: "New board" }).click();
    await page.locator(".edit-result:not(.stale) .verdict").waitFor();
    await shot(`63-edit-${family}`);
    await accessible(family);
  }
  await page.locator("#edit-family").selectOption("tiles");
  await page.getByRole("button", { name: "New board" }).click();
  await verdict("solved in 0");
  await drag(await centre(at(0, 0)), await centre(at(0, 1)));
  await verdict("cannot be solved");
  await page.locator("#edit-rows").fill("4");
  await page.locator("#edit-rows").press("Tab");
  await page.locator(".edit-result:not(.stale)", { hasText: "more than" }).waitFor();
});

await step("a board is exported and explored", async () => {
  await page.goto(`${base}/#/edit?board=${encodeURIComponent("AA.B\n...B\n....\n")}`);
  await verdict("solved in 3");
  await page.getByRole("button", { name: "Solve" }).click();
  expect("no solution", (await page.locator(".moves li").count()) === 3);
  await page.getByRole("button", { name: "Export" }).click();
  await page.locator("#notation option").first().waitFor({ state: "attached" });
  const names = await page.locator("#notation option").allTextContents();
  expect(`only ${names}`, names.length >= 3);
  await page.getByRole("button", { name: "Explore this" }).click();
  await page.waitForURL(/#\/r\//);
  await page.getByText("Complete: every reachable state and its goal distance.").waitFor();
  await page.getByRole("link", { name: "Player" }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  await verdict("solved in 3");
});

await step("it fits other sizes and the dark", async () => {
  for (const [width, theme] of [[390, "light"], [390, "dark"], [1024, "dark"], [1440, "light"]]) {
    await page.setViewportSize({ width, height: width < 500 ? 844 : 860 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto("about:blank");
    await page.goto(`${base}/#/edit?board=${encodeURIComponent(board)}`);
    await verdict("solved in 93");
    expect(`${width} pixels are not enough`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await accessible(`${width} ${theme}`);
    await shot(`64-edit-${width}-${theme}`, true);
  }
});

await end();
