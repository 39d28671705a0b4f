// Presses what is seldom pressed, in an order that is seldom thought of.
//
//   node pressed.mjs URL SCREENSHOT-DIR
//
// Prints what browser.mjs prints.
import { expect, open } from "./harness.mjs";

const [, , base, shots] = process.argv;
const { page, expected, step, shot, end } = await open(base, shots);

const failures = () => page.locator(".failure").count();

// played opens the first state of a list in the player.
const played = async (run, which) => {
  await page.goto(`${base}/#/r/${run}/states?which=${which}`);
  await page.locator(".view-states .state-card").first().click();
  await page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
};

await step("the path from the start is shown, and its address restores it", async () => {
  await played("cars", "deepest");
  await page.getByRole("button", { name: "From the start" }).click();
  await page.locator(".moves li[aria-current]").waitFor();
  const n = await page.locator(".moves li").count();
  const where = () => page.locator(".where").textContent();
  expect(`it has ${n} moves, and is at ${await where()}`, n > 3 && (await where()).includes(`${n} of ${n} moves`));
  expect("it is a failure", (await failures()) === 0);
  await page.goto(page.url().replace(/place=\d+/, "place=2"));
  await page.reload();
  await page.locator(".moves li[aria-current]").waitFor();
  expect(`the address shows ${await where()}`, (await where()).includes(`2 of ${n} moves`));
  await shot("90-from-the-start");
});

await step("a run of very many layers is listed, drawn and told like others", async () => {
  // The server tells of such a run, which would take a minute to explore.
  await page.route("**/api/events", async (route) => {
    const runs = await (await page.request.get(`${base}/api/runs`)).json();
    const event = (kind, what) => `event: ${kind}\ndata: ${JSON.stringify(what)}\n\n`;
    const layers = Array.from({ length: 255_255 }, (_, i) => 1 + (i % 1000));
    const deep = { ...runs.find((r) => r.name === "cars"), layers, goal_layers: layers };
    await route.fulfill({ contentType: "text/event-stream", body: runs.map((r) => ({ cars: deep, early: { ...r, layers: [1, 1, 3] } })[r.name] ?? r).map((r) => event("run", r)).join("") + event("runs", { runs: runs.map((r) => r.name), trouble: "" }) });
  });
  await page.goto(`${base}/#/`);
  await page.reload();
  await page.locator(".run-row", { hasText: "255,254" }).waitFor();
  await page.goto(`${base}/#/r/cars`);
  const note = page.locator(".forward .chart-note");
  await note.getByText("255,255 layers; most states at depth 999: 1,000").waitFor();
  const bars = await page.locator(".forward .bars rect").count();
  expect(`it has ${bars} bars`, bars > 100 && bars < 1300);
  const table = page.locator(".more details");
  await table.waitFor();
  expect("the table is there before it is opened", (await table.locator("tbody tr").count()) === 0);
  await table.locator("summary").click();
  await table.locator("tbody tr").nth(999).waitFor();
  await table.getByRole("button", { name: "More layers" }).click();
  await table.locator("tbody tr").nth(1999).waitFor();
  const { width } = await page.locator(".forward svg").boundingBox();
  await page.locator(".forward svg").hover({ position: { x: width - 5, y: 100 } });
  await note.getByText(/^depth 25\d,\d{3}: [\d,]+ states/).waitFor();
  await shot("91-many-layers");
  await page.goto(`${base}/#/r/cars/compare/early`);
  const line = await page.locator(".pair-line.of-0").first().getAttribute("d");
  const points = line.slice(1).split("L");
  expect(`the curve has ${points.length} points`, points.length > 900 && points.length < 2000);
  expect("the greatest layer is missing in it", points.some((p) => p.endsWith(" 0.0")) && points.at(-1).startsWith("480.0 "));
  await page.goto(`${base}/#/r/cars`);
  await page.goto(`${base}/#/r/early`);
  await page.locator(".forward .bars rect").nth(2).waitFor();
  const lines = await page.locator(".forward .axis text[text-anchor=end]").evaluateAll((all) => all.map((el) => [el.textContent, Number(el.getAttribute("y"))]));
  expect(`an axis for at most 3 states says ${JSON.stringify(lines)}`, lines[0][0] === "2" && lines[1][0] === "3" && Math.abs((200 - lines[0][1]) / (200 - lines[1][1]) - 2 / 3) < 0.01);
  await page.unroute("**/api/events");
  await page.goto(`${base}/#/`);
  await page.reload();
  await page.locator(".run-row").first().waitFor();
});

await step("a double click asks whether a run shall be deleted, and deletes nothing", async () => {
  await page.goto(`${base}/#/`);
  const row = page.locator(".run-row", { hasText: "runs/cars" });
  await row.getByRole("button", { name: "Delete" }).dblclick();
  await row.getByRole("button", { name: "Delete for good?" }).waitFor();
  await page.waitForTimeout(300);
  expect("it is gone", await row.isVisible());
});

await step("a board that was typed is there after another view", async () => {
  await page.goto(`${base}/#/`);
  await page.locator("#board").fill("AA.B / ...B / .... / ....");
  await page.locator(".run-link").first().click();
  await page.locator(".numbers").waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Explore" }).waitFor();
  expect("it is gone", (await page.locator("#board").inputValue()) === "AA.B / ...B / .... / ....");
  expect("it cannot be explored", await page.getByRole("button", { name: "Explore" }).isEnabled());
  await shot("92-draft");
  await page.locator("#board").fill("");
});

await step("what failed in the player is shown once it can be, and then not complained of", async () => {
  await played("cars", "start");
  expected.push("ERR_FAILED");
  const silent = (route) => route.abort();
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").nth(2).waitFor();
  await page.route(/api\/(runs|events)/, silent);
  // Streams that were open go on, so they are made anew.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.getByText("connection lost").waitFor();
  await page.getByRole("button", { name: "Last (N)" }).click();
  await page.locator(".stage-side .failure").waitFor();
  await shot("93-player-failed");
  await page.unroute(/api\/(runs|events)/, silent);
  await page.locator(".neighbours:not(.stale)").waitFor();
  await page.locator(".stage-side .failure").waitFor({ state: "detached" });
});

await step("space is of what is in focus, where that knows what to do with it", async () => {
  await played("cars", "start");
  await page.getByRole("button", { name: "Solve from here" }).click();
  await page.locator(".moves li").nth(2).waitFor();
  await page.locator("#hints").focus();
  await page.keyboard.press("Space");
  expect("the checkbox is as it was", !(await page.locator("#hints").isChecked()));
  await page.keyboard.press("Space");
  await page.locator("summary", { hasText: "Replay a solution" }).focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Moves to replay from here").waitFor();
  expect("it plays", await page.getByRole("button", { name: "Play (space)" }).isVisible());
});

await step("a run may have the name of a view", async () => {
  await played("graph", "start");
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".numbers").waitFor();
});

await step("a run fits on a narrow telephone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const view of ["", "/states?which=deepest", "/s", "/graph", "/compare/early"]) {
    await page.goto(`${base}/#/r/cars${view}`);
    await page.locator("main h1, main h2").first().waitFor();
    await page.waitForTimeout(200);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(`#/r/cars${view} is ${wide} wide`, wide <= 360);
    await shot(`94-narrow${view.replace(/\W+/g, "-")}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
});

await step("an address of states with numbers that are none, or too large, shows some", async () => {
  await page.goto(`${base}/#/r/cars/states?which=depth&layer=abc`);
  await page.getByText("depth 0", { exact: true }).waitFor();
  for (const [query, shown] of [["which=start&offset=500", "1 state"], ["which=depth&layer=8&offset=100000", "121 to 122 of 122"]]) {
    await page.goto(`${base}/#/r/cars/states?${query}`);
    await page.locator(".about", { hasText: shown }).waitFor().catch(async (e) => { throw new Error(`${query} shows ${await page.locator(".about").textContent()}: ${e}`); });
    expect(`${query} shows no state`, (await page.locator(".state-card").count()) > 0);
  }
});

await step("the keyboard stays where it was", async () => {
  const has = () => page.evaluate(() => {
    const el = document.activeElement;
    return el.getAttribute("aria-label") ?? (el.querySelector("b") ?? el).textContent;
  });
  const at = async (what, label, tag) => {
    await page.waitForFunction(() => document.activeElement !== document.body, null, { timeout: 5000 }).catch(() => {});
    const [is, tagged] = [await has(), await page.evaluate(() => document.activeElement.tagName)];
    expect(`after ${what} the focus is on ${tagged} ${is.slice(0, 60)}`, (label === undefined || is === label) && (!tag || tagged === tag));
  };
  const quiet = () => page.locator(".neighbours:not(.stale) .state-card").first().waitFor();
  await page.goto(`${base}/#/r/cars`);
  const tab = page.getByRole("link", { name: "States", exact: true });
  await tab.focus();
  await page.keyboard.press("Enter");
  await page.locator(".state-card").first().waitFor();
  await at("a tab", "States", "A");
  await page.goto(`${base}/#/r/cars/states?which=depth&layer=3`);
  await page.getByLabel("Depth").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("depth 4", { exact: true }).waitFor();
  await page.locator(".state-card").nth(1).waitFor();
  await at("the slider of the depth", "Depth", "INPUT");
  await page.goto(`${base}/#/r/cars/states?which=depth&layer=8`);
  await page.getByRole("link", { name: "next ›" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("61 to 120 of 122").waitFor();
  await at("the next page of states", "next ›", "A");
  await page.locator(".state-card").first().focus();
  await page.keyboard.press("Enter");
  await quiet();
  await at("a card", undefined, "MAIN");
  await played("cars", "start");
  const move = page.locator(".values button").nth(1);
  const name = await move.locator("b").textContent();
  await move.focus();
  await page.keyboard.press("Enter");
  await page.locator(".where", { hasText: "1 of 1 move," }).waitFor();
  await quiet();
  await at(`the move ${name}`, undefined, "BUTTON");
  await page.getByRole("button", { name: "Undo (u)" }).focus();
  await page.keyboard.press("Enter");
  await quiet();
  await at("the last undo", "Play (space)", "BUTTON");
  await page.goto(`${base}/#/r/cars/compare/early`);
  await page.locator(".pair .values button").nth(1).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/[?&]a=/);
  await at("a move beside another run", undefined, "BUTTON");
});

await end();
