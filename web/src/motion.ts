// A sampled motion, interpolated between its samples.

import { Quaternion } from "three";
import { type AnimationData, floats } from "./data";

export class Motion {
  readonly t: Float32Array;
  readonly toolPath: Float32Array;
  private readonly poses: Float32Array;
  private readonly q: Float32Array;
  private readonly tau: Float32Array;
  private readonly bodies: number;
  private readonly rows: number;

  constructor(data: AnimationData) {
    this.t = floats(data.t);
    this.poses = floats(data.poses);
    this.q = floats(data.q);
    this.tau = floats(data.tau);
    this.toolPath = floats(data.tool_path);
    this.bodies = data.bodies;
    this.rows = data.scene.rows.length;
  }

  get start(): number {
    return this.t[0];
  }

  get end(): number {
    return this.t[this.t.length - 1];
  }

  get hasTorques(): boolean {
    return this.tau.length > 0;
  }

  /** The sample before a time, and the fraction of the way to the next. */
  locate(time: number): [number, number] {
    let low = 0;
    let high = this.t.length - 1;
    if (time >= this.t[high]) return [high, 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= time) low = middle;
      else high = middle;
    }
    const span = this.t[high] - this.t[low];
    return [low, span > 0 ? Math.min(1, Math.max(0, (time - this.t[low]) / span)) : 0];
  }

  /** The pose of a body at a time, into `out`: position and quaternion. */
  pose(time: number, body: number, out: number[]): void {
    const [k, f] = this.locate(time);
    const a = 7 * (k * this.bodies + body);
    const b = f > 0 ? a + 7 * this.bodies : a;
    for (let i = 0; i < 3; i++) out[i] = this.poses[a + i] + f * (this.poses[b + i] - this.poses[a + i]);
    Quaternion.slerpFlat(out, 3, this.poses as unknown as number[], a + 3, this.poses as unknown as number[], b + 3, f);
  }

  private value(values: Float32Array, time: number, row: number): number {
    const [k, f] = this.locate(time);
    const x = values[k * this.rows + row];
    return f > 0 ? x + f * (values[(k + 1) * this.rows + row] - x) : x;
  }

  position(time: number, row: number): number {
    return this.value(this.q, time, row);
  }

  torque(time: number, row: number): number {
    return this.value(this.tau, time, row);
  }

  /** Minimum and maximum of a row over the motion. */
  extremes(kind: "q" | "tau", row: number): [number, number] {
    const values = this[kind];
    let [low, high] = [Infinity, -Infinity];
    for (let k = row; k < values.length; k += this.rows) {
      low = Math.min(low, values[k]);
      high = Math.max(high, values[k]);
    }
    return [low, high];
  }

  /** Positions of all bodies at all samples, three numbers each. */
  *positions(): Generator<[number, number, number]> {
    for (let k = 0; k < this.poses.length; k += 7) yield [this.poses[k], this.poses[k + 1], this.poses[k + 2]];
    for (let k = 0; k < this.toolPath.length; k += 3) yield [this.toolPath[k], this.toolPath[k + 1], this.toolPath[k + 2]];
  }
}
