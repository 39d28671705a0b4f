// The film of a space: the layers appear one after another, and then the goal distances
// flow back from the goals. It can be recorded as WebM.

import { fill, h, text } from "./dom";
import { counted } from "./format";

// Scene is where a film has come to.
export interface Scene {
  depth: number; // states up to here are there, and the last layer glows
  distance: number; // states up to here have their colour; -1 while layers appear
}

// Stage shows a film.
export interface Stage {
  canvas: HTMLCanvasElement;
  depths: Uint16Array;
  distances: Uint16Array | null; // null if there are none
  whole: boolean; // all states are shown, so that they can be counted
  show(scene: Scene | null): void; // null at the end
}

const seconds = 20; // a film takes as long, however many layers there are
const none = 0xffff;

// layersOf counts the states by depth or distance.
function layersOf(values: Uint16Array): number[] {
  const layers: number[] = [];
  for (const v of values) if (v !== none) layers[v] = (layers[v] ?? 0) + 1;
  return Array.from(layers, (n) => n ?? 0);
}

export class Film {
  readonly el = h("div", { class: "film" });
  private layers: number[];
  private goals: number[];
  private at = 0; // in layers
  private playing = 0; // the frame that is awaited
  private shown = false;
  private recorder: MediaRecorder | null = null;
  private speed = h("select", { "aria-label": "Speed of the film" }, [["0.5", "½×"], ["1", "1×"], ["2", "2×"], ["4", "4×"]].map(([value, label]) => h("option", { value, selected: value === "1" }, label)));
  private scrub: HTMLInputElement;
  private said = h("span", { class: "dim" }, "The layers appear, then the goals flow back.");
  private play = h("button", { type: "button", class: "small" }, "Play");
  private leave = h("button", { type: "button", class: "small", hidden: true }, "End");
  private record = h("button", { type: "button", class: "small" }, "Record");

  constructor(private stage: Stage, private name: string, private signal: AbortSignal) {
    this.layers = layersOf(stage.depths);
    this.goals = stage.distances ? layersOf(stage.distances) : [];
    this.scrub = h("input", { type: "range", min: 0, max: this.length, step: "any", value: 0, "aria-label": "Position in the film" });
    if (!stage.distances) text(this.said, "The layers appear one after another.");
    this.play.addEventListener("click", () => (this.playing ? this.pause() : this.start()));
    this.scrub.addEventListener("input", () => {
      this.pause();
      this.go(Number(this.scrub.value));
    });
    this.leave.addEventListener("click", () => this.end());
    this.record.addEventListener("click", () => this.toFile());
    this.record.hidden = typeof MediaRecorder === "undefined" || !this.type();
    signal.addEventListener("abort", () => this.pause());
    fill(this.el, h("div", { class: "row-actions" }, this.play, this.speed, this.record, this.leave), this.scrub, this.said);
  }

  // position is the place in the film, null if none is shown.
  get position(): number | null {
    return this.shown ? this.at : null;
  }

  private get length(): number {
    return this.layers.length + (this.goals.length ? this.goals.length + 1 : 0);
  }

  // go shows a place of the film.
  go(at: number): void {
    this.at = Math.max(0, Math.min(this.length, at));
    this.shown = true;
    this.leave.hidden = false;
    this.scrub.value = String(this.at);
    const { scene, says } = this.scene();
    text(this.said, says);
    this.scrub.setAttribute("aria-valuetext", says);
    this.stage.show(scene);
  }

  private scene(): { scene: Scene; says: string } {
    const deepest = this.layers.length - 1;
    const counts = (layers: number[], i: number) => (this.stage.whole ? `: ${counted(layers[i] ?? 0, "state")}` : "");
    if (this.at <= this.layers.length || !this.goals.length) {
      const depth = Math.min(deepest, Math.floor(this.at));
      return { scene: { depth: this.at, distance: -1 }, says: `depth ${depth} of ${deepest}${counts(this.layers, depth)}` };
    }
    const back = this.at - this.layers.length - 1;
    const distance = Math.max(0, Math.min(this.goals.length - 1, Math.floor(back)));
    return { scene: { depth: this.length, distance: Math.max(0, back) }, says: `goal distance ${distance} of ${this.goals.length - 1}${counts(this.goals, distance)}` };
  }

  private start(): void {
    if (!this.shown || this.at >= this.length) this.go(0);
    text(this.play, "Pause");
    let before = performance.now();
    const step = (now: number) => {
      const part = (Math.max(0, now - before) / 1000 / seconds) * Number(this.speed.value);
      before = now;
      this.go(this.at + part * this.length);
      if (this.at < this.length) this.playing = requestAnimationFrame(step);
      else this.pause();
    };
    this.playing = requestAnimationFrame(step);
  }

  private pause(): void {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    text(this.play, "Play");
    // The last frame has to be painted before the recorder stops.
    if (this.recorder) setTimeout((r: MediaRecorder) => r.state === "recording" && r.stop(), 300, this.recorder);
    this.recorder = null;
  }

  private end(): void {
    this.pause();
    this.shown = false;
    this.at = 0;
    this.scrub.value = "0";
    this.leave.hidden = true;
    this.stage.show(null);
  }

  private type(): string {
    return ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => MediaRecorder.isTypeSupported(t)) ?? "";
  }

  // toFile plays the film from its beginning and saves what was shown.
  private toFile(): void {
    this.end();
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(30), { mimeType: this.type(), videoBitsPerSecond: 8_000_000 });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", (e) => parts.push(e.data));
    recorder.addEventListener("stop", () => {
      this.record.disabled = false;
      if (this.signal.aborted) return;
      const url = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
      h("a", { href: url, download: `${this.name}.webm` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      text(this.said, `Saved as ${this.name}.webm`);
    });
    this.record.disabled = true;
    this.recorder = recorder;
    this.go(0);
    recorder.start();
    this.start();
  }
}
