// A robot as a scene graph: one group per body, links with their shapes, frames, centres of mass and inertia ellipsoids.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry } from "three";
import type { Pose, Role, SceneData, Shape } from "./data";
import { cylinder, geometry } from "./geometry";
import type { Motion } from "./motion";
import type { Theme } from "./theme";

const AXES = [0xe5484d, 0x30a46c, 0x3b82f6];

/** What can be shown or hidden. */
export type Overlay = "frames" | "centres" | "inertia";

export class Robot {
  readonly group = new Group();
  private readonly bodies: Group[] = [];
  private readonly materials = new Map<Role, MeshStandardMaterial>();
  private readonly alternate = new MeshStandardMaterial();
  private readonly cap = new MeshStandardMaterial({ roughness: 0.4, metalness: 0.2 });
  private readonly ellipsoid = new MeshStandardMaterial({ transparent: true, opacity: 0.5, roughness: 0.5, depthWrite: false });
  private readonly centre = new MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly overlays: Record<Overlay, Group[]> = { frames: [], centres: [], inertia: [] };
  private readonly scratch = new Array<number>(7).fill(0);

  constructor(scene: SceneData, bodies: number) {
    for (let k = 0; k < bodies; k++) {
      this.bodies.push(new Group());
      this.group.add(this.bodies[k]);
    }
    const heaviest = Math.max(...scene.links.map((l) => l.mass), 1e-9);
    scene.links.forEach((link, k) => {
      const group = new Group();
      place(group, link.pose);
      this.bodies[link.body].add(group);
      for (const shape of link.shapes) group.add(this.shape(shape, k % 2 === 1));
      this.overlay("frames", group, triad(0.075 * scene.size));
      if (link.centre) {
        const radius = scene.size * (0.006 + 0.012 * Math.cbrt(link.mass / heaviest));
        const ball = new Mesh(new SphereGeometry(radius, 20, 14), this.centre);
        ball.renderOrder = 3;
        const solid = new Mesh(new SphereGeometry(1, 32, 20), this.ellipsoid);
        // A thin rod has no width of its own.
        const thinnest = 0.004 * scene.size;
        const [x, y, z] = link.ellipsoid.map((a) => Math.max(a, thinnest));
        solid.scale.set(x, y, z);
        for (const [kind, mesh] of [["centres", ball], ["inertia", solid]] as const) {
          const at = new Group();
          place(at, link.centre);
          at.add(mesh);
          this.overlay(kind, group, at);
        }
      }
      if (scene.tool?.link === k) {
        const tool = triad(0.1 * scene.size);
        place(tool, scene.tool.pose);
        group.add(tool);
      }
    });
  }

  private overlay(kind: Overlay, parent: Group, child: Group): void {
    child.visible = false;
    parent.add(child);
    this.overlays[kind].push(child);
  }

  private material(role: Role): MeshStandardMaterial {
    let material = this.materials.get(role);
    if (!material) {
      material = new MeshStandardMaterial();
      this.materials.set(role, material);
    }
    return material;
  }

  private shape(shape: Shape, odd: boolean): Group {
    const group = new Group();
    place(group, shape.pose);
    const add = (mesh: Mesh) => {
      mesh.castShadow = mesh.receiveShadow = true;
      group.add(mesh);
    };
    add(new Mesh(geometry(shape.geometry), odd && shape.role === "link" ? this.alternate : this.material(shape.role)));
    // Caps at both ends of a housing, hubs of a wheel.
    if (shape.geometry.kind === "cylinder" && (shape.role === "joint" || shape.role === "wheel")) {
      const { radius, length } = shape.geometry;
      const [size, material] = shape.role === "joint" ? [0.78, this.cap] : [0.55, this.material("flange")];
      add(new Mesh(cylinder(size * radius, 1.06 * length), material));
    }
    return group;
  }

  show(kind: Overlay, visible: boolean): void {
    for (const group of this.overlays[kind]) group.visible = visible;
  }

  /** Makes the shapes translucent, so that what is inside can be seen. */
  translucent(on: boolean): void {
    for (const material of [...this.materials.values(), this.alternate, this.cap]) {
      material.transparent = on;
      material.opacity = on ? 0.28 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  colour(theme: Theme): void {
    for (const [role, material] of this.materials) material.setValues(theme.materials[role]);
    this.alternate.setValues({ ...theme.materials.link, color: theme.alternate });
    this.cap.color.setHex(theme.cap);
    this.ellipsoid.color.setHex(theme.ellipsoid);
    this.centre.color.setHex(theme.centre);
  }

  move(motion: Motion, time: number): void {
    this.bodies.forEach((body, k) => {
      motion.pose(time, k, this.scratch);
      place(body, this.scratch as Pose);
    });
  }
}

function place(group: Group, [x, y, z, qx, qy, qz, qw]: Pose): void {
  group.position.set(x, y, z);
  group.quaternion.set(qx, qy, qz, qw);
}

/** The axes of a frame: x red, y green, z blue. */
function triad(size: number): Group {
  const group = new Group();
  AXES.forEach((color, k) => {
    const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true });
    const shaft = new Mesh(new CylinderGeometry(0.022 * size, 0.022 * size, 0.8 * size, 10).translate(0, 0.4 * size, 0), material);
    const tip = new Mesh(new ConeGeometry(0.065 * size, 0.2 * size, 14).translate(0, 0.9 * size, 0), material);
    const axis = new Group();
    if (k === 0) axis.rotation.z = -Math.PI / 2;
    if (k === 2) axis.rotation.x = Math.PI / 2;
    shaft.renderOrder = tip.renderOrder = 2;
    axis.add(shaft, tip);
    group.add(axis);
  });
  return group;
}
