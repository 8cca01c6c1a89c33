// Geometries with rounded edges, all along z.

import { BoxGeometry, BufferAttribute, BufferGeometry, LatheGeometry, SphereGeometry, Vector2 } from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { type Geometry, floats, indices } from "./data";

const SEGMENTS = 40;

function arc(out: Vector2[], centre: [number, number], radius: number, from: number, to: number, steps: number): void {
  for (let k = 0; k <= steps; k++) {
    const angle = from + ((to - from) * k) / steps;
    out.push(new Vector2(Math.max(0, centre[0] + radius * Math.cos(angle)), centre[1] + radius * Math.sin(angle)));
  }
}

/** A surface of revolution about z; the profile is (distance, height), upwards. */
function lathe(profile: Vector2[]): BufferGeometry {
  return new LatheGeometry(profile, SEGMENTS).rotateX(Math.PI / 2);
}

/** The convex hull of two spheres. */
function capsule([a, b]: [number, number], length: number): BufferGeometry {
  const profile: Vector2[] = [];
  const half = length / 2;
  if (length <= Math.abs(a - b)) return new SphereGeometry(Math.max(a, b), SEGMENTS, 24).translate(0, 0, a > b ? -half : half);
  // The common tangent touches both spheres at this elevation.
  const touch = Math.asin((a - b) / length);
  arc(profile, [0, -half], a, -Math.PI / 2, touch, 12);
  arc(profile, [0, half], b, touch, Math.PI / 2, 12);
  return lathe(profile);
}

export function cylinder(radius: number, length: number): BufferGeometry {
  const bevel = Math.min(0.14 * radius, 0.2 * length);
  const half = length / 2;
  const flat = (height: number) => [new Vector2(0, height), new Vector2(Math.max(0, radius - bevel), height)];
  const profile = flat(-half);
  arc(profile, [radius - bevel, -half + bevel], bevel, -Math.PI / 2, 0, 6);
  arc(profile, [radius - bevel, half - bevel], bevel, 0, Math.PI / 2, 6);
  profile.push(...flat(half).reverse());
  return toCreasedNormals(lathe(profile), 0.6);
}

export function geometry(shape: Geometry): BufferGeometry {
  switch (shape.kind) {
    case "box": {
      const [x, y, z] = shape.size;
      const smallest = Math.min(x, y, z);
      return smallest > 0 ? new RoundedBoxGeometry(x, y, z, 4, 0.12 * smallest) : new BoxGeometry(x, y, z);
    }
    case "cylinder":
      return cylinder(shape.radius, shape.length);
    case "capsule":
      return capsule(shape.radii, shape.length);
    case "ellipsoid":
      return new SphereGeometry(1, SEGMENTS, 28).scale(...shape.semi);
    case "mesh": {
      const mesh = new BufferGeometry();
      mesh.setAttribute("position", new BufferAttribute(floats(shape.positions), 3));
      mesh.setIndex(new BufferAttribute(indices(shape.triangles), 1));
      return toCreasedNormals(mesh, 0.7);
    }
  }
}
