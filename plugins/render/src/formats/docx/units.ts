/** Twentieths of a point, of which an inch has 1440. */
export const twips = (millimetres: number): number => Math.round((millimetres * 1440) / 25.4)

/** Pixels of which an inch has 96: lengths of pictures. */
export const pixels = (millimetres: number): number => Math.max(1, Math.round((millimetres * 96) / 25.4))
