// Looks at many runs, at one that is still running, and at one without goal distances on a
// telephone.
//
//   node many.mjs URL LONG-BOARD-FILE SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { readFile } from "node:fs/promises";
import { expect, open } from "./harness.mjs";

const [, , base, longFile, shots] = process.argv;
const long = await readFile(longFile, "utf8");
const { page, expected, step, shot, end } = await open(base, shots);

await step("many runs are in pages", async () => {
  await page.goto(`${base}/#/`);
  await page.locator(".run-row").first().waitFor();
  expect(`${await page.locator(".run-row").count()} runs at once`, (await page.locator(".run-row:visible").count()) <= 50);
  await page.getByText(/of 122/).first().waitFor();
  await shot("73-many");
  const next = page.getByRole("button", { name: "next ›" });
  for (const [where, label] of [[/51 to 100 of/, "next ›"], [/101 to 122 of/, "‹ before"]]) {
    await next.focus();
    await page.keyboard.press("Enter");
    await page.getByText(where).waitFor();
    expect(`the keyboard is elsewhere on ${where}`, (await page.evaluate(() => document.activeElement.textContent)) === label);
  }
});

await step("the states of a running run come alive by themselves", async () => {
  const post = (path, body = {}) => page.evaluate(([path, body]) => fetch(`api/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then((r) => r.json()), [path, body]);
  const { name } = await post("runs", { text: long });
  await page.goto(`${base}/#/r/${name}/states`);
  await page.getByText("States can be viewed once the run has stopped").waitFor();
  expect("it is a failure", (await page.locator(".failure").count()) === 0);
  // A few layers are there before it is paused.
  await page.waitForFunction((name) => fetch("api/runs").then((r) => r.json()).then((a) => (a.runs ?? a).some((r) => r.name === name && r.depth > 5)), name);
  await post(`runs/${name}/pause`);
  await page.locator(".state-card").first().waitFor();
});

await step("a run without a layer says so calmly, and comes alive", async () => {
  for (const view of ["states", "s", "graph"]) {
    await page.goto(`${base}/#/r/empty/${view}`);
    await page.getByText("There are no states yet").waitFor();
    expect(`${view} is a failure`, (await page.locator(".failure").count()) === 0);
  }
  await page.goto(`${base}/#/r/empty/states`);
  await page.getByText("There are no states yet").waitFor();
  await shot("76-no-states");
  const none = await page.evaluate(() => fetch("api/runs/empty/states?which=start&layer=0&offset=0&limit=10").then((r) => r.json()));
  expect(`the server answers ${JSON.stringify(none)}`, none.total === 0 && none.states.length === 0);
  await page.evaluate(() => fetch("api/runs/empty/resume", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }));
  await page.locator(".state-card").first().waitFor();
});

await step("without goal distances, solving offers to find them", async () => {
  expected.push("409", "422", "404", "400");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}/#/r/plain/s`);
  await page.locator(".stage-board svg").waitFor();
  const seen = await page.getByRole("button", { name: "Solve from here" }).boundingBox();
  expect(`the button is at ${seen.y}`, seen.y + seen.height < 844);
  expect("keys are explained on a telephone", !(await page.locator(".keyboard").first().isVisible()));
  await page.getByText("goal distances have not been computed").waitFor();
  expect("nothing computes them", await page.getByRole("button", { name: "Compute goal distances" }).isEnabled());
  await shot("74-without-distances");
});

await step("every view has a heading of the first level, and a title of its own", async () => {
  const titles = [];
  for (const view of ["", "r/run-000", "r/run-000/states", "r/run-000/s", "r/run-000/graph", "r/run-000/compare", "edit", "sweeps"]) {
    await page.goto(`${base}/#/${view}`);
    // Until the view is drawn, the page has the heading and the title of the one before.
    await page
      .waitForFunction((seen) => document.querySelector("h1") && document.title && !seen.includes(document.title), titles)
      .catch(async (e) => {
        throw new Error(`#/${view} has the title ${await page.title()}, after ${titles.join(", ")}, and ${await page.locator("h1").count()} headings: ${e}`);
      });
    titles.push(await page.title());
  }
});

await end();
