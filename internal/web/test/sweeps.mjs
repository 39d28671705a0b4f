// Looks through the database of a sweep.
//
//   node sweeps.mjs URL SWEEP SCREENSHOT-DIR
import { expect, open } from "./harness.mjs";

const [, , base, sweep, shots] = process.argv;
const { page, step, shot, accessible, end } = await open(base, shots);
await page.emulateMedia({ reducedMotion: "reduce" });

const total = () => page.locator(".sweep-total strong").textContent().then((t) => Number(t.split(" ")[0].replaceAll(",", "")));
const changed = (was) => page.waitForFunction((was) => {
  const now = document.querySelector(".sweep-total strong")?.textContent;
  return now && now !== was;
}, was);

// quiet waits until what is chosen is what is shown.
const quiet = () => page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));

await step("a sweep is found on the page", async () => {
  await page.goto(base);
  await page.getByRole("link", { name: /Look through/ }).click();
  await accessible("the sweeps");
  await page.getByRole("link", { name: sweep }).click();
  await page.locator(".states .state-card svg").first().waitFor();
  expect("no puzzles", (await total()) > 100);
  expect("no puzzle of the day", await page.locator(".daily svg").isVisible());
  await shot("70-sweep", true);
  await accessible("a sweep");
});

await step("histograms filter by dragging, and one another", async () => {
  const before = await page.locator(".sweep-total strong").textContent();
  const all = await total();
  const pieces = await page.locator(".sweep-histogram").nth(2).innerHTML();
  const box = await page.locator(".sweep-histogram").first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.99, box.y + 40, { steps: 4 });
  await changed(before); // the finger is still down
  await page.mouse.up();
  await quiet();
  expect("as many as before", (await total()) < all);
  expect("the other histogram is as it was", (await page.locator(".sweep-histogram").nth(2).innerHTML()) !== pieces);
  expect(`the address is ${page.url()}`, /moves=\d+-\d+/.test(page.url()));
  await shot("71-sweep-filtered");
  const some = await total();
  await page.reload();
  await page.locator(".states .state-card").first().waitFor();
  expect("a reload shows others", (await total()) === some);
});

await step("a slow server answers while the finger moves", async () => {
  const slow = async (route) => {
    await new Promise((done) => setTimeout(done, 300));
    await route.continue().catch(() => {}); // the page may have lost interest
  };
  await page.getByRole("button", { name: "All" }).click();
  await page.waitForFunction(() => /^([\d,]+) of \1 /.test(document.querySelector(".sweep-total strong").textContent));
  await page.route("**/api/sweeps/**", slow);
  const box = await page.locator(".sweep-histogram").first().boundingBox();
  const bars = await page.locator(".sweep-histogram").first().locator("rect").count();
  const [before, seen] = [await page.locator(".sweep-total strong").textContent(), new Set()];
  await page.mouse.move(box.x + 2, box.y + 40);
  await page.mouse.down();
  for (let i = 0; i < 24; i++) {
    const bar = i % (bars - 1) + 0.5; // never still
    await page.mouse.move(box.x + (bar / bars) * box.width, box.y + 40);
    await page.waitForTimeout(120);
    seen.add(await page.locator(".sweep-total strong").textContent());
  }
  seen.delete(before);
  expect("nothing was shown on the way", seen.size > 0);
  await page.mouse.up();
  await quiet();
  await page.unroute("**/api/sweeps/**", slow);
  const chosen = await page.evaluate(() => location.hash.match(/moves=([\d-]+)/)[1]);
  await page.waitForFunction((c) => [...document.querySelectorAll(".sweep-filter input")].slice(0, 2).map((el) => el.value).join("-") === c, chosen);
});

await step("a range is typed, and all are back", async () => {
  const before = await page.locator(".sweep-total strong").textContent();
  await page.getByLabel("vehicles, most").fill("4");
  await page.keyboard.press("Tab");
  await changed(before);
  await quiet();
  const some = await page.locator(".sweep-total strong").textContent();
  await page.getByRole("button", { name: "All" }).click();
  await changed(some);
  const next = page.getByRole("button", { name: "next ›" });
  await next.click();
  await page.getByText("25 to 48").waitFor();
  expect("the keyboard is elsewhere", await next.evaluate((el) => document.activeElement === el));
});

await step("numbers that are none, and pages that are not there, do no harm", async () => {
  const least = page.getByLabel("moves, least");
  for (const [typed, shown] of [["-3", "0"], ["2.6", "3"], ["1e20", String(Number.MAX_SAFE_INTEGER)]]) {
    await least.fill(typed);
    await least.press("Tab");
    await page.waitForFunction((shown) => document.querySelector("#least-moves").value === shown, shown);
    await quiet();
    expect(`${typed} fails`, (await page.locator(".failure").count()) === 0);
  }
  await page.goto(`${base}/#/sweeps/${sweep}?offset=1000000&moves=-5`);
  await page.reload();
  await page.locator(".states .state-card svg").first().waitFor();
  const said = await page.locator(".pager span").textContent();
  expect(`it shows ${said}`, new RegExp(`to ([\\d,]+) of \\1$`).test(said));
  expect("moves are chosen", (await least.inputValue()) === "");
  await page.goto(`${base}/#/sweeps/${sweep}`);
  await page.locator(".daily svg").waitFor();
});

await step("cards of the choice, and play", async () => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Cards of this selection" }).click()]);
  expect(`it is ${file.suggestedFilename()}`, file.suggestedFilename().endsWith(".pdf"));
  await page.locator(".daily").getByRole("button", { name: "Play" }).click();
  await page.locator(".stage-board svg").waitFor();
});

await step("it fits other sizes and the dark", async () => {
  for (const [width, theme] of [[390, "dark"], [1024, "light"], [1440, "dark"]]) {
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.goto("about:blank");
    await page.goto(`${base}/#/sweeps/${sweep}`);
    await page.locator(".states .state-card svg").first().waitFor();
    expect(`${width} pixels are not enough`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await accessible(`${width} ${theme}`);
    await shot(`72-sweep-${width}-${theme}`);
  }
});

await end();
