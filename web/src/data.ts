// The data of an animation, as crates/armdyn-scene writes them.

/** Position and unit quaternion: x, y, z, qx, qy, qz, qw. */
export type Pose = [number, number, number, number, number, number, number];

export type Geometry =
  | { kind: "box"; size: [number, number, number] }
  | { kind: "cylinder"; radius: number; length: number }
  | { kind: "capsule"; radii: [number, number]; length: number }
  | { kind: "ellipsoid"; semi: [number, number, number] }
  | { kind: "mesh"; positions: string; triangles: string };

export type Role = "link" | "joint" | "base" | "wheel" | "payload" | "flange";

export interface Shape {
  pose: Pose;
  role: Role;
  geometry: Geometry;
}

export interface Link {
  name: string;
  parent: number | null;
  body: number;
  pose: Pose;
  shapes: Shape[];
  mass: number;
  centre: Pose | null;
  ellipsoid: [number, number, number];
}

export interface Row {
  name: string;
  rotational: boolean;
  range: [number | null, number | null];
  effort: [number | null, number | null];
}

export interface SceneData {
  name: string;
  size: number;
  links: Link[];
  rows: Row[];
  tool: { link: number; pose: Pose } | null;
  gravity: [number, number, number];
  up: [number, number, number];
}

export interface AnimationData {
  scene: SceneData;
  bodies: number;
  t: string;
  poses: string;
  q: string;
  tau: string;
  tool_path: string;
  events: { t: number; text: string }[];
  ground: number;
}

function bytes(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
}

export const floats = (text: string) => new Float32Array(bytes(text));
export const indices = (text: string) => new Uint32Array(bytes(text));
