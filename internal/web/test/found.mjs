// Looks at what was wrong once: limits of runs that are paused, progress over the whole,
// names of moves, start positions, films without animation, printed reports.
//
//   node found.mjs URL LONG-BOARD-FILE FILM.svg REPORT.html SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect, open } from "./harness.mjs";

const [, , base, longFile, film, report, shots] = process.argv;
const long = await readFile(longFile, "utf8");
const { page, expected, step, shot, end } = await open(base, shots, "file:");
expected.push("409"); // a run that begins at this moment cannot be read

const runOf = (name) => page.evaluate((name) => fetch("api/runs").then((r) => r.json()).then((a) => (a.runs ?? a).find((r) => r.name === name)), name);
const post = (path, body) => page.evaluate(([path, body]) => fetch(`api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then((r) => r.json()), [path, body]);
const badge = (text) => page.locator(".run-title .badge", { hasText: text }).waitFor();

await step("a limit holds after pause and resume, and goal distances stay off", async () => {
  const limit = 20_000_000; // some seconds, so that it can be paused
  await page.goto(`${base}/#/sweeps`);
  const { name } = await post("runs", { text: long, max_states: limit, goal_distance: false });
  await page.goto(`${base}/#/r/${name}`);
  await page.waitForFunction(() => document.querySelectorAll(".bars rect").length > 4);
  await page.getByRole("button", { name: "Pause" }).click();
  await badge("paused");
  expect("it was paused after its limit", (await runOf(name)).states < limit);
  await page.getByRole("button", { name: "Resume" }).click();
  await badge("stopped");
  const run = await runOf(name);
  // The layer that is under way when the limit is reached is finished.
  expect(`it has ${run.states} states at a limit of ${limit}`, run.states >= limit && run.states < 2.5 * limit);
  expect("goal distances were computed", !run.distances && !run.enumerated);
});

await step("a bar shows how much of the whole is done", async () => {
  await page.goto(`${base}/#/sweeps`);
  const { name } = await post("runs", { text: long, goal_distance: false });
  await page.goto(`${base}/#/r/${name}`);
  const bar = page.getByRole("progressbar", { name: "Progress" });
  await bar.waitFor();
  await page.waitForFunction(() => document.querySelector(".whole progress").value > 0.02);
  const first = await bar.evaluate((el) => el.value);
  await page.waitForFunction((was) => document.querySelector(".whole progress").value > was, first);
  expect(`it says ${await page.locator(".whole").first().textContent()}`, /\d+ % of 58,882,055 states/.test(await page.locator(".whole").first().textContent()));
  await shot("80-progress");
  await post(`runs/${name}/cancel`, {});
  await badge("cancelled");
});

await step("Sokoban begins where the player of the file stands", async () => {
  await page.goto(`${base}/#/r/sokoban/s`);
  const player = page.locator(".stage-board [data-piece]").last();
  await player.waitFor();
  const [box, board] = await Promise.all([player.boundingBox(), page.locator(".stage-board svg").boundingBox()]);
  // Fourth of six rows, second of eight columns.
  const [x, y] = [(box.x + box.width / 2 - board.x) / board.width, (box.y + box.height / 2 - board.y) / board.height];
  expect(`the player is at ${x.toFixed(2)}, ${y.toFixed(2)} of the board`, Math.abs(x - 1.5 / 8) < 0.05 && Math.abs(y - 3.5 / 6) < 0.05);
  await shot("81-sokoban-start");
});

await step("moves name pieces that have names, and cells that are numbered", async () => {
  await page.goto(`${base}/#/r/cars/s`);
  await page.locator(".values button").first().waitFor();
  const drawn = async () => (await page.locator(".stage-board svg text").allTextContents()).map((t) => t.trim());
  const moves = () => page.locator(".values button b").allTextContents();
  for (const move of await moves()) expect(`${move} names no vehicle of ${await drawn()}`, (await drawn()).includes(move[0]));
  await page.goto(`${base}/#/r/klotski/s`);
  await page.locator(".values button").first().waitFor();
  const numbers = await drawn();
  expect(`the board says ${numbers}`, ["1", "2", "3", "4", "5"].every((n) => numbers.includes(n)) && !numbers.some((t) => /[A-Z]/.test(t)));
  for (const move of await moves()) expect(`${move} names no cell`, /^r[1-5]c[1-4]-(up|down|left|right)/.test(move));
  await shot("82-klotski-names");
});

await step("a film that does not move shows its start alone", async () => {
  await page.goto(pathToFileURL(film).href);
  const captions = await page.evaluate(() => {
    document.querySelectorAll("animate, animateTransform").forEach((el) => el.remove());
    return [...document.querySelectorAll("text")].filter((el) => getComputedStyle(el).visibility === "visible" && /^\d+\/\d+/.test(el.textContent)).map((el) => el.textContent);
  });
  expect(`it says ${captions}`, captions.length === 1 && captions[0].startsWith("0/"));
  await shot("83-film-still");
});

await step("a report is printed light, with its date, its commands and its headings", async () => {
  await page.goto(pathToFileURL(report).href);
  await page.emulateMedia({ colorScheme: "dark", media: "screen" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b));
  expect("it has no dark style", (await ground()) < 200);
  await shot("84-report-dark");
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  expect("it is printed dark", (await ground()) === 3 * 255);
  const kept = await page.locator("h2").evaluateAll((all) => all.every((el) => getComputedStyle(el).breakAfter === "avoid"));
  expect("headings part from their figures", kept);
  const text = await page.locator("body").innerText();
  expect("it has no date", /\b20\d\d-\d\d-\d\d\b/.test(text));
  expect("it has no commands", text.includes("everystate "));
  const small = await page.locator("svg text:visible").evaluateAll((all) => Math.min(...all.map((el) => el.getBoundingClientRect().height).filter((n) => n > 0)));
  expect(`the smallest text of a figure is ${small} pixels high`, small >= 6);
  const pdf = await page.pdf({ format: "A4" });
  expect(`the print has ${pdf.length} bytes`, pdf.length > 20_000);
  await page.emulateMedia({ colorScheme: "light", media: "screen" });
});

await step("the graph of one move counts it as one", async () => {
  await page.goto(`${base}/#/r/push/graph`);
  await page.locator("canvas.gl").waitFor();
  await page.getByText("2 states, 1 move", { exact: true }).waitFor({ timeout: 30_000 });
});

await end();
