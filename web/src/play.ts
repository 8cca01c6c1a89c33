// The page of an animation: 3-D view, transport controls, joint table.

import { Clock } from "./clock";
import type { AnimationData } from "./data";
import { brief, element, icon, quoted } from "./dom";
import { Motion } from "./motion";
import { type Overlay, Robot } from "./robot";
import { spacing, Stage } from "./stage";
import style from "./style.css";
import { JointTable } from "./table";
import { DARK, LIGHT } from "./theme";
import { Trace } from "./trace";

/** Events that are marked on the time axis at most. */
const MAX_TICKS = 1000;

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Shows an animation in an element, and returns its clock. */
export function play(host: HTMLElement, data: AnimationData): Clock {
  document.head.append(element("style", {}, style));
  const { scene } = data;
  const motion = new Motion(data);
  const canvas = element("canvas", { tabindex: 0, role: "img", "aria-label": `3-D view of ${scene.name}` });
  const table = new JointTable(scene.rows, motion);
  const overlays = element("div", { class: "overlays", role: "group", "aria-label": "Show" });
  const transport = element("div", { class: "transport", role: "group", "aria-label": "Playback" });
  const view = element("div", { class: "view" }, canvas, title(data, motion), overlays);
  const page = element("main", { class: "armdyn" }, view, element("aside", {}, table.node, legend(data)), transport);
  host.append(page);

  let stage: Stage | undefined;
  const robot = new Robot(scene, data.bodies);
  const trace = new Trace(motion);
  const clock = new Clock(motion.start, motion.end, () => refresh());
  const paint = () => {
    robot.move(motion, clock.time);
    trace.move(clock.time);
  };
  try {
    stage = new Stage(canvas, data, motion, paint);
    stage.world.add(robot.group, trace.group);
  } catch {
    view.append(element("p", { class: "failure", role: "alert" }, "This browser cannot draw in 3-D (WebGL 2 is not available). The joint table works without it."));
  }

  // Overlays.
  const shown: Record<Overlay, boolean> = { frames: false, centres: false, inertia: false };
  const button = (label: string, pressed: boolean, action: (on: boolean) => void) => {
    const node = element("button", { type: "button", "aria-pressed": pressed ? "true" : "false" }, label);
    node.addEventListener("click", () => {
      const on = node.getAttribute("aria-pressed") !== "true";
      node.setAttribute("aria-pressed", String(on));
      action(on);
      stage?.invalidate();
    });
    overlays.append(node);
  };
  const overlay = (kind: Overlay, on: boolean) => {
    shown[kind] = on;
    robot.show(kind, on);
    robot.translucent(shown.centres || shown.inertia);
  };
  button("Frames", false, (on) => overlay("frames", on));
  button("Centres of mass", false, (on) => overlay("centres", on));
  button("Inertia ellipsoids", false, (on) => overlay("inertia", on));
  if (motion.toolPath.length > 0) button("Tool path", true, (on) => (trace.group.visible = on));
  if (stage && scene.gravity.some((g) => g !== 0)) {
    const { gravity } = stage;
    button("Gravity", true, (on) => (gravity.visible = on));
  }
  const home = element("button", { type: "button", class: "icon", "aria-label": "Reset the view", title: "Reset the view" }, icon("view"));
  home.addEventListener("click", () => stage?.reset());
  overlays.append(home);

  // Transport.
  const toggle = element("button", { type: "button", class: "icon primary" });
  const first = element("button", { type: "button", class: "icon", "aria-label": "Go to the start", title: "Start (Home)" }, icon("start"));
  const slider = element("input", { type: "range", min: motion.start, max: motion.end, step: "any", "aria-label": "Time" });
  const clockText = element("output", { class: "time" });
  const speed = element("select", { "aria-label": "Speed", title: "Speed" });
  for (const s of SPEEDS) speed.append(element("option", { value: s, selected: s === 1 }, `${s}×`));
  const loop = element("button", { type: "button", class: "icon", "aria-label": "Loop", title: "Loop", "aria-pressed": "true" }, icon("loop"));
  const ticks = element("div", { class: "ticks", "aria-hidden": "true" });
  for (const event of data.events.slice(0, MAX_TICKS)) {
    const tick = element("i", { title: `${brief(event.t)} s: ${quoted(event.text)}` });
    tick.style.left = `${(100 * (event.t - motion.start)) / Math.max(1e-9, motion.end - motion.start)}%`;
    ticks.append(tick);
  }
  transport.append(first, toggle, element("div", { class: "slider" }, slider, ticks), clockText, speed, loop);
  first.addEventListener("click", () => clock.seek(motion.start));
  toggle.addEventListener("click", () => clock.toggle());
  slider.addEventListener("input", () => {
    clock.playing = false;
    clock.seek(Number(slider.value));
  });
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  loop.addEventListener("click", () => {
    clock.loop = !clock.loop;
    loop.setAttribute("aria-pressed", String(clock.loop));
  });
  keyboard(clock, motion);

  let playing: boolean | undefined;
  function refresh(): void {
    slider.value = String(clock.time);
    slider.style.setProperty("--done", `${(100 * (clock.time - motion.start)) / Math.max(1e-9, motion.end - motion.start)}%`);
    slider.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} s`);
    clockText.textContent = `${clock.time.toFixed(2)} / ${motion.end.toFixed(2)} s`;
    table.update(clock.time);
    if (playing !== clock.playing) {
      playing = clock.playing;
      const label = playing ? "Pause" : "Play";
      toggle.replaceChildren(icon(playing ? "pause" : "play"));
      toggle.setAttribute("aria-label", label);
      toggle.title = `${label} (space)`;
    }
    stage?.invalidate();
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = () => {
    const theme = dark.matches ? DARK : LIGHT;
    robot.colour(theme);
    trace.colour(theme);
    stage?.colour(theme);
  };
  dark.addEventListener("change", colour);
  colour();
  refresh();
  return clock;
}

function title(data: AnimationData, motion: Motion): HTMLElement {
  const { scene } = data;
  const mass = scene.links.reduce((sum, l) => sum + l.mass, 0);
  const facts = [
    `${scene.rows.length} ${scene.rows.length === 1 ? "degree" : "degrees"} of freedom`,
    `${brief(mass)} kg`,
    `${brief(motion.end - motion.start)} s`,
  ];
  return element("header", {}, element("h1", {}, scene.name), element("p", {}, facts.join(" · ")));
}

function legend(data: AnimationData): HTMLElement {
  const list = element("dl", { class: "legend" });
  const add = (name: string, text: string) => list.append(element("dt", {}, name), element("dd", {}, text));
  add("Space", "play, pause");
  add("← →", "step; with Shift by ten");
  add("Drag", "orbit; right button pans, wheel zooms");
  add("Grid", `${brief(spacing(data.scene.size))} m`);
  if (data.events.length > 0) {
    const events = element("ul", { class: "events" });
    for (const e of data.events.slice(0, 50)) events.append(element("li", {}, element("b", {}, `${brief(e.t)} s`), ` ${quoted(e.text)}`));
    return element("div", {}, element("section", { "aria-label": "Events" }, element("h2", {}, "Events"), events), list);
  }
  return element("div", {}, list);
}

/** Space plays, arrows step from sample to sample, Home and End go to the ends. */
function keyboard(clock: Clock, motion: Motion): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    const step = (count: number) => {
      clock.playing = false;
      const [k, f] = motion.locate(clock.time);
      const from = count < 0 && f > 0 ? k + 1 : k;
      clock.seek(motion.t[Math.min(motion.t.length - 1, Math.max(0, from + count))]);
    };
    const far = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ArrowLeft: () => step(-far),
      ArrowRight: () => step(far),
      Home: () => clock.seek(motion.start),
      End: () => clock.seek(motion.end),
    };
    // A focused button already acts on the space bar.
    if (event.key === " " && target.tagName === "BUTTON") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
