import type { Layout } from '../document.ts'

/** Millimetres, upright. */
const SIZES: Readonly<Record<Layout['pageSize'], readonly [width: number, height: number]>> = {
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
}

/** The width and height of a page in millimetres, as it lies. */
export function pageSize({ pageSize: name, orientation }: Layout): {
  readonly width: number
  readonly height: number
} {
  const [short, long] = SIZES[name]
  return orientation === 'portrait' ? { width: short, height: long } : { width: long, height: short }
}
