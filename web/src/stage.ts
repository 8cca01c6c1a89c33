// Renderer, camera, light, ground, gravity arrow. Renders only when something has changed.

import {
  ACESFilmicToneMapping,
  Box3,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DirectionalLight,
  Fog,
  Group,
  Mesh,
  MeshBasicMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  Quaternion,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import type { AnimationData } from "./data";
import type { Motion } from "./motion";
import type { Theme } from "./theme";

const UP = new Vector3(0, 1, 0);

/** Space around the robot in the initial view. */
const MARGIN = 1.08;

/** The distance of grid lines that suits a size: 1, 2 or 5 times a power of ten [m]. */
export function spacing(size: number): number {
  const wanted = size / 8;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((s) => s * power >= wanted) ?? 10;
  return step * power;
}

export class Stage {
  /** Everything in the robot's own axes; `up` of the robot is y of the screen. */
  readonly world = new Group();
  readonly gravity = new Group();
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(34, 1, 0.01, 100);
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly key = new DirectionalLight(0xffffff, 1);
  private readonly shade = new ShadowMaterial({ depthWrite: false });
  private readonly grid: ShaderMaterial;
  private readonly arrow = new MeshBasicMaterial();
  private readonly box: Box3;
  private readonly bounds: Sphere;
  private pending = false;

  constructor(canvas: HTMLCanvasElement, data: AnimationData, motion: Motion, private readonly paint: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: false, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    const pmrem = new PMREMGenerator(this.renderer);
    this.scene.environment = pmrem.fromScene(new RoomEnvironment(), 0.04).texture;
    pmrem.dispose();

    const { size, up } = data.scene;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(...up).normalize(), UP);
    this.world.quaternion.copy(turn);
    this.scene.add(this.world);
    const box = new Box3();
    for (const p of motion.positions()) box.expandByPoint(new Vector3(...p).applyQuaternion(turn));
    box.expandByPoint(new Vector3(0, data.ground, 0)).expandByScalar(0.06 * size);
    this.box = box;
    this.bounds = box.getBoundingSphere(new Sphere());
    const { center, radius } = this.bounds;

    this.key.position.copy(center).add(new Vector3(0.45, 1, 0.65).multiplyScalar(2.6 * radius));
    this.key.target.position.copy(center);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.key.shadow.normalBias = 0.004 * size;
    const camera = this.key.shadow.camera;
    const reach = 1.25 * radius;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * radius, far: 6 * radius });
    this.scene.add(this.key, this.key.target);

    this.grid = gridMaterial(spacing(size), Math.max(3.2 * radius, size));
    const extent = 8 * radius;
    const plane = new PlaneGeometry(extent, extent).rotateX(-Math.PI / 2);
    const floor = new Mesh(plane, this.shade);
    floor.receiveShadow = true;
    const lines = new Mesh(plane, this.grid);
    for (const mesh of [floor, lines]) mesh.position.set(center.x, data.ground, center.z);
    lines.position.y += 1e-4 * size;
    this.scene.add(floor, lines);
    this.addGravity(data, turn);

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxDistance = 12 * radius;
    this.controls.minDistance = 0.15 * radius;
    this.controls.addEventListener("change", () => this.invalidate());
    this.reset();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  /** An arrow along gravity, beside the base. */
  private addGravity(data: AnimationData, turn: Quaternion): void {
    const g = new Vector3(...data.scene.gravity);
    if (g.length() === 0) return;
    const length = 0.22 * data.scene.size;
    const width = 0.03 * length;
    const shaft = new Mesh(new CylinderGeometry(width, width, 0.78 * length, 12).translate(0, 0.39 * length, 0), this.arrow);
    const tip = new Mesh(new ConeGeometry(3.2 * width, 0.22 * length, 20).translate(0, 0.89 * length, 0), this.arrow);
    this.gravity.add(shaft, tip);
    const down = g.clone().applyQuaternion(turn).normalize();
    this.gravity.quaternion.setFromUnitVectors(UP, down);
    // The arrow ends at the ground, to the left of the robot in the initial view.
    const foot = new Vector3(-0.77, 0, 0.64).multiplyScalar(0.8 * this.bounds.radius).add(this.bounds.center);
    foot.setY(data.ground + 0.02 * length);
    this.gravity.position.copy(foot).addScaledVector(down, -length);
    this.scene.add(this.gravity);
  }

  /** The initial view: from the front, right and above. */
  reset(): void {
    const { center, radius } = this.bounds;
    const direction = new Vector3(0.72, 0.42, 0.86).normalize();
    const right = UP.clone().cross(direction).normalize();
    const above = direction.clone().cross(right);
    const vertical = Math.tan((this.camera.fov * Math.PI) / 360);
    const horizontal = vertical * Math.max(0.2, this.camera.aspect);
    // The least distance from which all corners are in sight.
    let distance = 0.5 * radius;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(...[1, 2, 4].map((bit, axis) => (k & bit ? this.box.max : this.box.min).getComponent(axis)) as [number, number, number]).sub(center);
      const needed = Math.max(Math.abs(corner.dot(right)) / horizontal, Math.abs(corner.dot(above)) / vertical);
      distance = Math.max(distance, corner.dot(direction) + MARGIN * needed);
    }
    this.camera.near = 0.01 * radius;
    this.camera.far = 40 * radius;
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.scene.fog = new Fog(0, distance + 2.5 * radius, distance + 9 * radius);
    this.fogColour();
    this.invalidate();
  }

  private fogColour(): void {
    if (this.scene.fog && this.scene.background instanceof Color) this.scene.fog.color.copy(this.scene.background);
  }

  colour(theme: Theme): void {
    this.scene.background = new Color(theme.background);
    this.fogColour();
    this.scene.environmentIntensity = theme.environment;
    this.key.intensity = theme.key;
    this.shade.opacity = theme.shadow;
    (this.grid.uniforms.colour.value as Color).setHex(theme.grid);
    this.grid.uniforms.opacity.value = theme.gridOpacity;
    this.arrow.color.setHex(theme.gravity);
    this.invalidate();
  }

  private resize(): void {
    const parent = this.renderer.domElement.parentElement!;
    const [width, height] = [parent.clientWidth, parent.clientHeight];
    if (width === 0 || height === 0) return;
    const first = this.camera.aspect === 1;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.reset();
    this.invalidate();
  }

  /** Renders in the next frame. */
  invalidate(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.controls.update();
      this.paint();
      this.renderer.render(this.scene, this.camera);
    });
  }
}

/** Grid lines that fade with the distance from the middle. */
function gridMaterial(step: number, fade: number): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { step: { value: step }, fade: { value: fade }, opacity: { value: 0.3 }, colour: { value: new Color() } },
    vertexShader: `
      varying vec3 at; varying vec2 local;
      void main() {
        vec4 p = modelMatrix * vec4(position, 1.0);
        at = p.xyz; local = position.xz;
        gl_Position = projectionMatrix * viewMatrix * p;
      }`,
    fragmentShader: `
      uniform float step, fade, opacity; uniform vec3 colour;
      varying vec3 at; varying vec2 local;
      float lines(vec2 p, float width) {
        vec2 f = abs(fract(p - 0.5) - 0.5), w = fwidth(p) * width;
        vec2 line = 1.0 - smoothstep(w * 0.5, w * 1.2, f);
        // Where lines are closer than pixels they become an even tone.
        line = mix(line, vec2(0.1), clamp(fwidth(p) * 2.0 - 0.5, 0.0, 1.0));
        return max(line.x, line.y);
      }
      void main() {
        float minor = lines(at.xz / step, 1.0), major = lines(at.xz / (5.0 * step), 1.3);
        float falloff = pow(max(0.0, 1.0 - length(local) / fade), 1.5);
        gl_FragColor = vec4(colour, opacity * falloff * max(0.55 * minor, major));
        #include <colorspace_fragment>
      }`,
  });
}
