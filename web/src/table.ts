// The joint table: position and torque of each degree of freedom against its limits.

import type { Row } from "./data";
import { element, number } from "./dom";
import type { Motion } from "./motion";

const DEGREES = 180 / Math.PI;

/** Text and a bar that move with time. */
interface Cells {
  update(time: number): void;
}

export class JointTable {
  readonly node: HTMLElement;
  private readonly rows: Cells[];
  private degrees = true;

  constructor(rows: Row[], private readonly motion: Motion) {
    const list = element("ul", { class: "joints" });
    this.rows = rows.map((row, k) => {
      const item = element("li", { class: "joint" }, element("span", { class: "name", title: row.name }, row.name));
      const cells = [this.position(row, k, item)];
      if (motion.hasTorques) cells.push(this.torque(row, k, item));
      list.append(item);
      return { update: (time: number) => cells.forEach((c) => c.update(time)) };
    });
    const unit = element("button", { type: "button", class: "unit", "aria-label": "Angles in degrees or radians" }, "deg");
    unit.addEventListener("click", () => {
      this.degrees = !this.degrees;
      unit.textContent = this.degrees ? "deg" : "rad";
      this.update(this.time);
    });
    const head = element("div", { class: "head" }, element("h2", {}, "Joints"), unit);
    this.node = element("section", { class: "table", "aria-label": "Joint positions and torques" }, head, list);
  }

  private time = 0;

  update(time: number): void {
    this.time = time;
    for (const row of this.rows) row.update(time);
  }

  /** Position as a mark between the limits; without limits between the extremes of the motion. */
  private position(row: Row, k: number, item: HTMLElement): Cells {
    const [least, most] = this.motion.extremes("q", k);
    const [low, high] = [row.range[0] ?? least, row.range[1] ?? most];
    const limited = row.range[0] !== null && row.range[1] !== null;
    const value = element("span", { class: "value" });
    const mark = element("i", { class: "mark" });
    const covered = element("i", { class: "covered" });
    const bar = element("div", { class: limited ? "bar range" : "bar range open" }, covered, mark);
    const fraction = (x: number) => (high > low ? Math.min(1, Math.max(0, (x - low) / (high - low))) : 0.5);
    covered.style.left = `${100 * fraction(least)}%`;
    covered.style.right = `${100 - 100 * fraction(most)}%`;
    item.append(value, bar);
    if (Number.isFinite(least)) {
      const [a, b] = row.range.map((x) => (x === null ? "no limit" : this.text(row, x)));
      bar.title = `range ${a} to ${b}; the motion covers ${this.text(row, least)} to ${this.text(row, most)}`;
    } else item.classList.add("none");
    return {
      update: (time) => {
        const x = this.motion.position(time, k);
        value.textContent = this.text(row, x);
        mark.style.left = `${100 * fraction(x)}%`;
        // Samples are in single precision.
        const slack = 1e-6 * Math.max(Math.abs(low), Math.abs(high));
        bar.classList.toggle("over", limited && (x < low - slack || x > high + slack));
      },
    };
  }

  /** Torque as a bar from zero towards its limits; without limits towards the extremes of the motion. */
  private torque(row: Row, k: number, item: HTMLElement): Cells {
    const extremes = this.motion.extremes("tau", k);
    const limited = row.effort[0] !== null || row.effort[1] !== null;
    const peak = Math.max(Math.abs(extremes[0]), Math.abs(extremes[1]), 1e-12);
    const limits = [row.effort[0] ?? -peak, row.effort[1] ?? peak];
    const unit = row.rotational ? "N m" : "N";
    const fill = element("i", { class: "fill" });
    const value = element("span", { class: "value torque" });
    const share = element("span", { class: "share" });
    const bar = element("div", { class: limited ? "bar effort" : "bar effort open" }, fill);
    bar.title = limited ? `limits ${limits.map(number).join(" to ")} ${unit}` : `no limit; peak of the motion ${number(peak)} ${unit}`;
    item.append(value, bar, share);
    return {
      update: (time) => {
        const x = this.motion.torque(time, k);
        const limit = x < 0 ? limits[0] : limits[1];
        const ratio = limit !== 0 ? Math.abs(x / limit) : x === 0 ? 0 : Infinity;
        value.textContent = `${number(x)} ${unit}`;
        share.textContent = limited ? `${Number.isFinite(ratio) ? Math.round(100 * ratio) : "∞"} %` : "";
        const length = 50 * Math.min(1, ratio);
        fill.style.left = `${x < 0 ? 50 - length : 50}%`;
        fill.style.width = `${length}%`;
        bar.classList.toggle("high", limited && ratio > 0.8 && ratio <= 1);
        bar.classList.toggle("over", limited && ratio > 1);
      },
    };
  }

  private text(row: Row, x: number): string {
    if (!Number.isFinite(x)) return "–";
    if (!row.rotational) return `${number(x)} m`;
    return this.degrees ? `${number(x * DEGREES)}°` : `${number(x)} rad`;
  }
}
