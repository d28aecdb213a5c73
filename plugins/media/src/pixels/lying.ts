/** A picture as it lies in its file. */
export interface Lying {
  readonly width: number
  readonly height: number
  /** 5 to 8 lie on their side (EXIF, tag 274). */
  readonly orientation: number | undefined
}
