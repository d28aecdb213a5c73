export type { MediaItem } from './item.ts'
