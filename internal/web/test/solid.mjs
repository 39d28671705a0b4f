// Plays with puzzles that are solid bodies: turns them, looks at them from other sides,
// solves them; on the page and in a file.
//
//   node solid.mjs ADDRESS FILE SCREENSHOT-DIR RUN...
import { pathToFileURL } from "node:url";
import { expect, open } from "./harness.mjs";

const [, , base, file, shots, cube, ...others] = process.argv;
const { page, step, shot, accessible, end } = await open(base, shots, "file:");

const board = page.locator(".stage-board");
// colours are those of the facelets that can be seen, by facelet.
const colours = () => board.locator(".solid [data-facelet]").evaluateAll((all) => Object.fromEntries(all.map((p) => [p.dataset.facelet, p.dataset.colour])));
const said = () => board.getAttribute("aria-label");
const differ = (a, b) => Object.keys(a).filter((f) => f in b && a[f] !== b[f]).length;

// still waits until the picture is that of the state which the board tells.
const still = () => page.waitForFunction(() => {
  const el = document.querySelector(".stage-board");
  return el.querySelector(".solid")?.dataset.shows === el.getAttribute("aria-label");
});

async function player(run) {
  await page.goto(`${base}/#/r/${run}`);
  const start = await page.evaluate(async (r) => (await (await fetch(`api/runs/${r}`)).json()).start, run);
  await page.goto(`${base}/#/r/${run}/s/${start}`);
  await board.locator(".solid [data-facelet]").first().waitFor();
  await page.locator(".values button").first().waitFor();
  await still();
  return start;
}

await step("a move turns the stickers", async () => {
  await player(cube);
  const [before, text] = [await colours(), await said()];
  expect(`${Object.keys(before).length} stickers of three faces are seen`, Object.keys(before).length === 12);
  await page.locator(".values button", { hasText: /^R/ }).first().click();
  await page.locator(".where", { hasText: "by R" }).waitFor();
  await still();
  const after = await colours();
  expect(`${differ(before, after)} stickers show another colour`, differ(before, after) >= 2);
  expect("the text tells the new state", (await said()) !== text);
  await page.keyboard.press("u");
  await page.locator(".where", { hasText: /^depth 0$/ }).waitFor();
  await still();
  expect("undo turns back", differ(before, await colours()) === 0);
  const neighbours = await page.locator(".neighbours .state-card").count();
  expect("the neighbours are cubes too", await page.locator(".neighbours .thumb svg").count() === neighbours && neighbours > 2);
  await shot("70-cube", true);
  await accessible("a cube");
});

await step("each move of a body bears its value where it turns", async () => {
  await player(cube);
  const marks = board.locator(".hint-mark");
  await marks.first().waitFor();
  const listed = await page.locator(".values button").evaluateAll((all) => all.map((b) => `${b.querySelector("b").textContent} ${b.dataset.value}`).sort());
  const marked = () => marks.evaluateAll((all) => all.map((m) => `${m.dataset.move} ${m.classList[1]}`).sort());
  expect(`the marks are ${await marked()}, the buttons ${listed}`, String(await marked()) === String(listed));
  expect("no move is nearer", listed.some((t) => t.endsWith("nearer")));
  // From behind, marks are where the layers can be seen from there.
  const places = () => marks.evaluateAll((all) => all.map((m) => m.getAttribute("transform")).join());
  const before = await places();
  await board.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("Shift+ArrowRight");
  expect("the marks stay where they were", (await marks.count()) > 0 && (await places()) !== before);
  await shot("75-cube-values");
  const name = await marks.first().getAttribute("data-move");
  await marks.first().click();
  await page.locator(".where", { hasText: `by ${name}` }).waitFor();
  await still();
  await page.getByLabel("what each move is worth").uncheck();
  expect("values are shown that are not wanted", (await marks.count()) === 0);
  await page.getByLabel("what each move is worth").check();
  await marks.first().waitFor();
});

await step("a solution is played to one colour a face", async () => {
  await player(cube);
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").first().waitFor();
  await page.locator("select[aria-label=Speed]").selectOption("50");
  await page.getByRole("button", { name: /^Play/ }).click();
  await page.locator(".goal-mark").waitFor();
  await still();
  const seen = await colours();
  expect(`the faces have ${new Set(Object.values(seen)).size} colours`, new Set(Object.values(seen)).size === 3);
  const kinds = {};
  for (const c of Object.values(seen)) kinds[c] = (kinds[c] ?? 0) + 1;
  expect("four stickers of each", Object.values(kinds).every((n) => n === 4));
});

await step("layers follow the finger, and the background turns the whole", async () => {
  const before = await colours();
  const box = await board.locator(".solid").boundingBox();
  // Of the upper row of the front.
  const front = await board.locator('[data-colour="c"]').evaluateAll((all) => all.map((p) => p.getBoundingClientRect().toJSON()));
  const sticker = front.sort((a, b) => a.y - b.y)[0];
  const at = { x: sticker.x + sticker.width / 2, y: sticker.y + sticker.height / 2 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + box.width / 5, at.y + 4, { steps: 6 });
  await shot("71-cube-held");
  await page.mouse.move(at.x + box.width / 2, at.y + 8, { steps: 6 });
  await page.mouse.up();
  await page.locator(".where", { hasText: /by U/ }).waitFor();
  await still();
  const turned = await colours();
  expect("the top layer has turned", differ(before, turned) >= 4);
  await page.mouse.move(box.x + 4, box.y + 4);
  await page.mouse.down();
  await page.mouse.move(box.x + 360, box.y + 4, { steps: 8 });
  await page.mouse.up();
  const around = await colours();
  expect("another side is seen", Object.keys(around).some((f) => !(f in turned)));
  expect("and no sticker has moved", differ(turned, around) === 0);
  await board.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("Shift+ArrowUp");
  expect("the keyboard shows the bottom", Object.keys(await colours()).some((f) => !(f in around)));
});

await step("the other bodies turn", async () => {
  for (const run of others) {
    await player(run);
    const before = await colours();
    await page.locator(".values button").first().click();
    await page.locator(".where", { hasText: "by " }).waitFor();
    await still();
    const after = await colours();
    // Of Square-1 other facelets are there.
    expect(`${run}: the picture is another`, differ(before, after) > 0 || Object.keys(before).join() !== Object.keys(after).join());
    await shot(`72-${run}`);
  }
});

await step("narrow, dark and without motion", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await player(cube);
  const before = await colours();
  await page.locator(".values button").first().click();
  await page.locator(".where", { hasText: "by " }).waitFor();
  expect("the move is made at once", differ(before, await colours()) > 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(`the page is ${wide} pixels wide`, wide <= 390);
  await shot("73-cube-narrow", true);
  await accessible("a cube, narrow and dark");
  await page.setViewportSize({ width: 1280, height: 860 });
});

await step("beside the graph and in a file", async () => {
  await page.goto(`${base}/#/r/${cube}/graph?at=${await player(cube)}`);
  await page.locator(".selection .solid [data-facelet]").first().waitFor();
  await shot("74-cube-graph");
  await page.goto(pathToFileURL(file).href);
  await board.locator(".solid [data-facelet]").first().waitFor();
  const before = await colours();
  await page.locator(".values button").first().click();
  await page.locator(".where", { hasText: "by " }).waitFor();
  expect("the file turns too", differ(before, await colours()) > 0);
});

await end();
