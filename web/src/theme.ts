// Colours of the scene in the light and the dark theme; those of the page are in style.css.

import type { Role } from "./data";

export interface Theme {
  background: number;
  grid: number;
  gridOpacity: number;
  shadow: number;
  environment: number;
  key: number;
  materials: Record<Role, { color: number; roughness: number; metalness: number }>;
  /** Every other link, to distinguish neighbours. */
  alternate: number;
  cap: number;
  path: number;
  future: number;
  ellipsoid: number;
  centre: number;
  gravity: number;
}

const X = { roughness: 0.42, metalness: 0.08 };

export const LIGHT: Theme = {
  background: 0xeef1f4,
  grid: 0x5b6b7b,
  gridOpacity: 0.34,
  shadow: 0.2,
  environment: 0.52,
  key: 1.9,
  materials: {
    link: { color: 0xebedf0, ...X },
    joint: { color: 0x39434e, roughness: 0.45, metalness: 0.35 },
    base: { color: 0x4b5662, roughness: 0.55, metalness: 0.25 },
    wheel: { color: 0x23292f, roughness: 0.8, metalness: 0.05 },
    payload: { color: 0xf59e0b, ...X },
    flange: { color: 0xaab4bf, roughness: 0.3, metalness: 0.75 },
  },
  alternate: 0xc9d1d9,
  cap: 0x0e8fa8,
  path: 0xea580c,
  future: 0x8a97a5,
  ellipsoid: 0x7c3aed,
  centre: 0xdb2777,
  gravity: 0x64748b,
};

export const DARK: Theme = {
  background: 0x12171d,
  grid: 0x8fa3b8,
  gridOpacity: 0.26,
  shadow: 0.5,
  environment: 0.42,
  key: 1.7,
  materials: {
    link: { color: 0xd9dee4, ...X },
    joint: { color: 0x3d4954, roughness: 0.45, metalness: 0.4 },
    base: { color: 0x46525f, roughness: 0.5, metalness: 0.35 },
    wheel: { color: 0x1b2127, roughness: 0.8, metalness: 0.05 },
    payload: { color: 0xfbbf24, ...X },
    flange: { color: 0x9aa6b2, roughness: 0.3, metalness: 0.8 },
  },
  alternate: 0xb3bec9,
  cap: 0x22b8cf,
  path: 0xfb923c,
  future: 0x5d6d7e,
  ellipsoid: 0xa78bfa,
  centre: 0xf472b6,
  gravity: 0x94a3b8,
};
