// Drives the real page on the real server in a real browser.
//
//   node browser.mjs URL BOARD-FILE LONG-BOARD-FILE SCREENSHOT-DIR
//
// Prints "ok NAME" or "not ok NAME: why" for each step, and ends with 1 if one
// failed.
import { readFile, stat } from "node:fs/promises";
import { expect, frames, open, stirGraph, told } from "./harness.mjs";

const [, , base, boardFile, longFile, shots] = process.argv;
const board = await readFile(boardFile, "utf8");
const { page, expected, step, shot, accessible, end } = await open(base, shots);

let run = "";

await step("the page comes up", async () => {
  await page.goto(base);
  await page.getByRole("heading", { name: "Explore a board" }).waitFor();
  // What is in the document is painted a little later.
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  console.log(`# first paint after ${paint.toFixed(0)} ms`);
  expect(`first paint after ${paint} ms`, paint > 0);
  await shot("01-runs");
});

await step("a wrong board shows its error", async () => {
  expected.push("422");
  await page.locator("#board").fill("puzzle: rush-hour\n\nAA...B\n.....B\nXX..X.\n......\n......\n......");
  await page.locator("#board[aria-invalid]").waitFor();
  const said = await page.locator("#board-said").textContent();
  expect(`the error has no line: ${said}`, /line \d+/.test(said));
  await shot("02-wrong-board");
  expect("it can be explored", await page.getByRole("button", { name: "Explore" }).isHidden());
});

await step("a file is dropped", async () => {
  const file = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "board.txt"));
    return data;
  }, board);
  await page.dispatchEvent("form.start", "drop", { dataTransfer: file });
  await page.locator("#board-said", { hasText: "Jam 93" }).waitFor();
});

await step("a board of every family is read and drawn", async () => {
  const explore = page.getByRole("button", { name: "Explore" });
  const families = await page.getByLabel("Examples").locator("option").evaluateAll((all) => all.map((o) => o.value).filter(Boolean));
  expect(`there are ${families.length} families`, families.length >= 8);
  for (const family of families) {
    await page.locator("#board").fill("");
    await explore.waitFor({ state: "hidden" });
    await page.getByLabel("Examples").selectOption(family);
    await explore.waitFor();
    await page.locator(".board-preview svg").waitFor();
  }
});

await step("a metric is asked for", async () => {
  await page.locator("#board").fill("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM");
  const metric = page.getByLabel("Metric:");
  await metric.selectOption("step");
  await page.locator("#board").fill("IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM ");
  await page.waitForTimeout(500);
  expect("the metric that was chosen is kept", (await metric.inputValue()) === "step");
  await metric.selectOption("slide");
});

await step("a pasted board is explored to the end", async () => {
  await page.locator("#board").fill("");
  await page.getByRole("button", { name: "Explore" }).waitFor({ state: "hidden" });
  await page.locator("#board").fill(board);
  await page.getByRole("button", { name: "Explore" }).waitFor();
  await page.locator(".board-preview svg").waitFor();
  await shot("03-pasted");
  await page.getByRole("button", { name: "Explore" }).click();
  await page.waitForURL(/#\/r\//);
  run = decodeURIComponent(page.url().split("#/r/")[1]);
  await shot("04-running");
  await page.getByText("Complete: every reachable state and its goal distance.").waitFor({ timeout: 300_000 });
  const numbers = await page.locator(".numbers").textContent();
  expect(`24,132 states are not there: ${numbers}`, numbers.includes("24,132"));
  expect(`the memory is not said to be the process's: ${numbers}`, numbers.includes("Peak memory of the process"));
  await page.locator(".partitions").waitFor();
  await page.waitForTimeout(300);
  await shot("05-run", true);
});

await step("the hardest states", async () => {
  await page.getByRole("link", { name: "The hardest states" }).click();
  await page.locator(".state-card img").first().waitFor();
  await page.waitForLoadState("networkidle").catch(() => {});
  await shot("06-hardest");
});

await step("a layer, paged", async () => {
  await page.goto(`${base}/#/r/${run}/states?which=depth&layer=40`);
  await page.getByText("depth 40", { exact: true }).waitFor();
  await page.locator(".state-card img").first().waitFor();
  await page.getByRole("link", { name: "next ›" }).click();
  await page.getByText("61 to 120").waitFor();
  await page.locator(".state-card img").first().waitFor();
  await page.waitForTimeout(500);
  await shot("07-layer");
});

await step("the hardest state is solved with the keyboard", async () => {
  await page.goto(`${base}/#/r/${run}/states?which=hardest`);
  await page.locator(".state-card").first().click();
  await page.getByRole("button", { name: "Solve from here" }).click();
  const moves = page.locator(".moves li");
  await moves.first().waitFor();
  const n = await moves.count();
  await page.locator(".stage-board svg").waitFor();
  await page.waitForTimeout(400);
  await shot("08-player");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("p");
  for (let i = 1; i <= n; i++) {
    await page.keyboard.press("n");
    if (i === Math.floor(n / 2)) await shot("09-player-half-way");
  }
  await page.locator(".goal-mark").waitFor();
  await page.waitForTimeout(400);
  await shot("10-player-goal");
  await page.keyboard.press("P");
  expect("P does not go back", (await page.locator(".where").textContent()).includes(`0 of ${n}`));
  await page.keyboard.press("N");
  await page.locator(".goal-mark").waitFor();
});

await step("a solution plays by itself", async () => {
  await page.keyboard.press("P");
  await page.getByLabel("Speed").selectOption("50");
  await page.locator("main").focus();
  await page.keyboard.press(" ");
  await page.locator(".goal-mark").waitFor();
});

await step("pieces can be dragged, and that undone", async () => {
  await page.goto(`${base}/#/r/${run}/s`);
  await page.locator(".stage-board svg [data-piece]").first().waitFor();
  await page.locator(".neighbours .state-card").first().waitFor();
  const before = page.url();
  // Some piece can be moved by a cell in some direction.
  const pieces = await page.locator(".stage-board [data-piece]").count();
  let moved = false;
  for (let i = 0; i < pieces && !moved; i++) {
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      const box = await page.locator(`.stage-board [data-piece="${i}"]`).boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const cell = Math.min(box.width, box.height) * 1.05;
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + dx * cell, y + dy * cell, { steps: 6 });
      await page.mouse.up();
      await page.locator(".stage-board.dragging").waitFor({ state: "detached" });
      if (await page.getByRole("button", { name: "Undo (u)" }).isEnabled()) {
        moved = true;
        break;
      }
    }
  }
  expect("no piece can be dragged", moved);
  await page.waitForTimeout(400);
  await shot("11-dragged", true);
  expect("the address stays the same", page.url() !== before);
  await page.keyboard.press("u");
  await page.waitForFunction((u) => location.href === u, before);
});

await step("moves that are pasted are followed", async () => {
  const move = await page.locator(".neighbours .caption b").first().textContent();
  await page.getByText("Replay a solution").click();
  await page.getByLabel("Moves to replay from here").fill(`${move} Q+9`);
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText(/is not a move after 1/).waitFor();
  await page.getByLabel("Moves to replay from here").fill(move);
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText("1 move", { exact: true }).waitFor();
});

await step("the graph", async () => {
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await page.locator("canvas.gl").waitFor({ timeout: 300_000 });
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForTimeout(1500);
  await shot("12-graph");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator(".selection .state-card").first().waitFor();
  await page.waitForTimeout(1200);
  await shot("13-graph-start");
});

await step("a neighbour in the graph is clicked", async () => {
  const canvas = page.locator("canvas.gl");
  const start = await canvas.getAttribute("data-selected");
  const box = await canvas.boundingBox();
  const around = (await canvas.getAttribute("data-around")).split(" ").map((p) => p.split(",").map(Number));
  let chosen = start;
  for (const [x, y] of around) {
    if (x < 5 || y < 5 || x > box.width - 5 || y > box.height - 5) continue;
    await page.mouse.move(box.x + x, box.y + y);
    await page.locator(".tip.shown img").waitFor();
    await page.waitForTimeout(300);
    await shot("14-graph-hover");
    await page.mouse.click(box.x + x, box.y + y);
    await page.waitForTimeout(500);
    chosen = await canvas.getAttribute("data-selected");
    if (chosen !== start) break;
  }
  expect("no neighbour was chosen by a click", chosen !== start);
  await page.locator(".selection .state-card").first().click();
  await page.waitForFunction(([c, s]) => document.querySelector("canvas.gl").dataset.selected !== c || c === s, [chosen, start]);
});

await step("a way is drawn in the graph", async () => {
  await page.getByRole("button", { name: "Hardest" }).click();
  await page.waitForTimeout(1500);
  await page.getByRole("button", { name: "Path to the goal" }).click();
  await page.getByText(/moves to the goal/).waitFor();
  await page.waitForTimeout(1200);
  await shot("15-graph-way");
});

await step("the graph is moved", async () => {
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForTimeout(1000);
  const t = await frames(page, () => stirGraph(page));
  console.log(`# the graph moves: ${told(t)}`);
  expect(told(t), t.n > 0);
});

await step("one layer of the graph stands out", async () => {
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByLabel("Coloured by").selectOption("layer");
  await page.getByLabel("Highlighted layer").fill("40");
  await page.getByText("depth 40: ").waitFor();
  await page.waitForTimeout(800);
  await shot("15b-graph-layer");
  await page.getByLabel("Coloured by").selectOption("depth");
  await page.waitForTimeout(500);
  await shot("15c-graph-depth");
  await page.getByLabel("Coloured by").selectOption("distance");
});

await step("the graph by depth, and its film", async () => {
  await page.getByLabel("Arranged by").selectOption("depth");
  await page.waitForURL(/arranged=depth/);
  await page.locator("canvas.gl").waitFor({ timeout: 300_000 });
  await page.waitForTimeout(1500);
  await shot("15d-graph-by-depth");
  const place = page.getByLabel("Position in the film");
  await place.fill("40");
  await page.getByText("depth 40 of ").waitFor();
  await page.waitForURL(/film=40/);
  await shot("15e-film-of-layers");
  const last = Number(await place.getAttribute("max"));
  await place.fill(String(last - 40));
  await page.getByText(/goal distance \d/).waitFor();
  await page.waitForTimeout(800);
  await shot("15f-film-of-distances");
  await accessible("the film");
  await page.getByRole("button", { name: "End" }).click();
  await page.getByLabel("Speed of the film").selectOption("4");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Record" }).click();
  const film = await (await download).path();
  const { size } = await stat(film);
  expect(`the film has ${size} bytes`, size > 10_000);
  await page.getByText("Saved as ").waitFor();
  await page.getByLabel("Arranged by").selectOption("moves");
  await page.locator("canvas.gl").waitFor();
});

await step("dark, and a phone", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(400);
  await shot("16-graph-dark");
  await page.goto(`${base}/#/`);
  await page.locator(".run-row").first().waitFor();
  await shot("17-runs-dark");
  await page.setViewportSize({ width: 390, height: 800 });
  const views = [["", "18-phone-runs", ".run-row"], [`/r/${run}`, "19-phone-run", ".partitions"], [`/r/${run}/states?which=hardest`, "20-phone-states", ".state-card img"], [`/r/${run}/s`, "21-phone-player", ".stage-board svg"]];
  for (const [path, name, there] of views) {
    await page.goto(`${base}/#${path}`);
    await page.locator(there).first().waitFor();
    await page.waitForTimeout(400);
    await shot(name, true);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(`${name} is ${wide} pixels wide`, wide <= 390);
  }
});

await step("a long run is paused, resumed, cancelled, and read then", async () => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`${base}/#/`);
  await page.locator("#board").fill(await readFile(longFile, "utf8"));
  await page.getByRole("button", { name: "Explore" }).click();
  await page.waitForURL(/#\/r\//);
  const is = (state) => page.locator(".run-title .badge", { hasText: state }).waitFor();
  await is("running");
  await page.waitForFunction(() => document.querySelectorAll(".bars rect").length > 8);
  await shot("22-long-run");
  await page.getByRole("button", { name: "Pause" }).click();
  await is("paused");
  await page.getByText("Paused; saved everything to depth").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await is("running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await is("cancelled");
  await page.getByRole("link", { name: "The deepest state" }).click();
  await page.locator(".state-card img").first().waitFor();
});

await step("a pasted board is found", async () => {
  await page.goto(`${base}/#/r/${run}/states`);
  await page.locator(".run-name", { hasText: run }).waitFor();
  await page.getByText("1 state", { exact: true }).waitFor();
  const text = await page.locator(".state-card img").first().getAttribute("alt");
  await page.getByLabel("A board of this puzzle").fill("no board");
  await page.getByRole("button", { name: "Find" }).click();
  await page.locator(".find .failure").waitFor();
  await page.getByLabel("A board of this puzzle").fill(text);
  await page.getByRole("button", { name: "Find" }).click();
  await page.locator(".distance .number", { hasText: "93" }).waitFor();
});

await step("an address that is none says so", async () => {
  for (const [hash, says] of [["/r/%E0%A4%A", "the address cannot be read"], ["/nothing", "There is no such page"], ["/r/nobody", "There is no such run"], ["/r/nobody/states", "There is no run nobody"], ["/r/nobody/s", "There is no run nobody"]]) {
    await page.goto(`${base}/#${hash}`);
    await page.locator("[role=alert]", { hasText: says }).waitFor();
    expect(`${hash}: charts of nothing`, await page.locator(".charts").isHidden());
  }
  await page.getByRole("link", { name: "All runs" }).click();
  await page.locator(".run-row").first().waitFor();
});

await step("the skip link goes to the content and not away", async () => {
  const address = `${base}/#/r/${run}/states?which=hardest`;
  await page.goto(address);
  await page.locator(".state-card img").first().waitFor();
  await page.locator("#skip").focus();
  await page.keyboard.press("Enter");
  expect(`the address is ${page.url()}`, page.url() === address);
  expect("the content has no focus", await page.evaluate(() => document.activeElement.id === "main"));
  expect(`the title is ${await page.title()}`, (await page.title()) === `States · ${run} · Everystate`);
});

await step("the list is filtered and sorted", async () => {
  await page.goto(`${base}/#/`);
  const names = () => page.locator(".run-row .run-link").allTextContents();
  await page.locator(".run-row").nth(1).waitFor();
  await page.getByLabel("Show").fill("jam");
  await page.waitForFunction(() => document.querySelectorAll(".run-row").length === 1);
  expect(`filtered: ${await names()}`, (await names())[0] === "Jam 93");
  await page.getByLabel("Show").fill("nothing like that");
  await page.getByText("No run matches.").waitFor();
  await page.getByLabel("Show").fill("");
  await page.getByLabel("by").selectOption("hardest first");
  await page.waitForFunction(() => document.querySelector(".run-row .run-link").textContent === "Jam 93");
});

await step("many tabs are alive at once", async () => {
  const tabs = [];
  for (let i = 0; i < 9; i++) {
    const tab = await page.context().newPage();
    await tab.goto(`${base}/#/`);
    tabs.push(tab);
  }
  for (const tab of tabs) await tab.locator(".run-row").first().waitFor();
  // The one that listens for all goes: another one takes its place.
  for (const tab of tabs.splice(0, 5)) await tab.close();
  await page.goto(`${base}/#/r/${run}/states`);
  await page.locator(".state-card img").first().waitFor();
  for (const tab of tabs) {
    await tab.reload();
    await tab.locator(".run-row").first().waitFor();
    await tab.close();
  }
});

await step("every view is accessible, light and dark", async () => {
  await page.setViewportSize({ width: 1280, height: 860 });
  const views = [["/", ".run-row"], [`/r/${run}`, ".partitions"], [`/r/${run}/states?which=hardest`, ".state-card img"], [`/r/${run}/states?which=depth&layer=9`, ".state-card img"],
    [`/r/${run}/s`, ".neighbours .state-card"], [`/r/${run}/graph`, "canvas.gl"]];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const [path, there] of views) {
      await page.goto(`${base}/#${path}`);
      await page.locator(there).first().waitFor();
      await page.waitForTimeout(200);
      await accessible(`${path}, ${colorScheme}`);
    }
  }
});

await end();
