// The path of the tool: what lies behind it bright, what lies ahead faint.

import { Group } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { Motion } from "./motion";
import type { Theme } from "./theme";

export class Trace {
  readonly group = new Group();
  private readonly past = new LineMaterial({ linewidth: 3 });
  private readonly future = new LineMaterial({ linewidth: 1.5, transparent: true, opacity: 0.7 });
  private readonly done: Line2 | undefined;

  constructor(private readonly motion: Motion) {
    if (motion.toolPath.length < 6) return;
    const line = (material: LineMaterial) => {
      const shape = new LineGeometry();
      shape.setPositions(motion.toolPath);
      const line = new Line2(shape, material);
      line.frustumCulled = false;
      this.group.add(line);
      return line;
    };
    line(this.future);
    this.done = line(this.past);
    this.done.renderOrder = 1;
  }

  move(time: number): void {
    if (!this.done) return;
    const [k, f] = this.motion.locate(time);
    this.done.geometry.instanceCount = Math.round(k + f);
  }

  colour(theme: Theme): void {
    this.past.color.setHex(theme.path);
    this.future.color.setHex(theme.future);
  }
}
