/** How the definition stands for now: what a migration may change of it. */
export interface Shape {
  /** What the field `cover` of an album is called. */
  readonly cover: 'cover' | 'front'
  /** What the resource of pages is called. */
  readonly pages: 'Page' | 'Leaf'
  /** Whether `note` holds text or items; `one` of a page one item or a list. */
  readonly note: 'string' | 'media'
  readonly one: 'media' | '{ type: media, maxItems: 9 }'
  /** What blocks of a page have inside. */
  readonly picture: 'media' | 'string'
  /** Whether there is a field `extra`, whose default is an item. */
  readonly extra: string | undefined
  readonly enforce: boolean
}

export const FIRST: Shape = {
  cover: 'cover',
  pages: 'Page',
  note: 'string',
  one: 'media',
  picture: 'media',
  extra: undefined,
  enforce: true,
}

const other = { cover: 'front', front: 'cover', Page: 'Leaf', Leaf: 'Page' } as const
const ALL = `{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`

/** Albums, which may come back, with pages that go along; boxes that are gone for good with their things. */
export const albums = ({ cover, pages, note, one, picture, extra, enforce }: Shape, version = '1') => `
domain:
  name: albums
  version: '${version}'
  media: { enforce: ${enforce} }
  blocks:
    teaser: { fields: { picture: ${picture}, next: blocks } }
  resources:
    Album:
      features: { softDelete: true, import: true, versioning: true }
      probe: {}
      object:
        title: { type: string, unique: true }
        ${cover}: { type: media, renamedFrom: ${other[cover]} }
        note: ${note}${extra === undefined ? '' : `\n        extra: { type: media, default: ${extra} }`}
        state: { type: string, enum: [open, shut] }
        deletedAt: datetime
      stateMachine:
        field: state
        initial: open
        states:
          open: { transitions: { shut: { to: shut, guards: [authenticated], sets: { ${cover}: null } } } }
          shut: { transitions: { open: { to: open, guards: [authenticated] } } }
      api: { custom: { clear: { permissions: ['*'], fields: { note: null } } } }
      permissions: ${ALL}
    ${pages}:
      renamedFrom: ${other[pages]}
      features: { softDelete: true, import: true }
      probe: {}
      object:
        title: string
        one: ${one}
        many: { type: array, items: media }
        card: { type: component, fields: { front: media } }
        rows: { type: repeater, fields: { picture: media, text: string } }
        body: blocks
        deletedAt: datetime
      api: { path: pages }
      relationships:
        album: { type: belongsTo, target: Album, onDelete: cascade }
      permissions: ${ALL}
    Box:
      object: { title: string, cover: media }
      permissions: ${ALL}
    Thing:
      object: { pictures: { type: media, minItems: 0 } }
      relationships:
        box: { type: belongsTo, target: Box, onDelete: cascade }
      permissions: ${ALL}
`

/** Whether a field holds items, as the definition stands. */
export const holdsItems = ({ note, picture }: Shape, resource: string, field: string): boolean =>
  ({
    note: note === 'media',
    cover: true,
    front: true,
    extra: true,
    one: true,
    many: true,
    card: true,
    rows: true,
    body: picture === 'media',
    pictures: true,
  })[field] ??
  (resource === '' && field === '')
