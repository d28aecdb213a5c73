/**
 * Pictures, places and papers for every reason why somebody may not know of one: by the field, by the row, by the tier, by
 * who may view what was made of them.
 */
export const gallery = (version = '1', accept = '') => `
domain:
  name: gallery
  version: '${version}'
  media: { permissions: { browse: [authenticated], upload: [authenticated], manage: [clerk, boss] } }
  resources:
    Room:
      object: { title: string }
      relationships: { works: { type: hasMany, target: Work, foreignKey: roomId } }
      permissions: { list: ['*'], get: ['*'], create: [boss], update: [boss] }
    Work:
      features: { export: true, versioning: true, audit: true }
      object:
        title: { type: string, required: true }
        shared: boolean
        cover: media
        proof: { type: media${accept} }
        files: { type: array, items: media }
        logo: svg
        place: geometry
        hideout: geometry
        route: { type: geometry, geometryType: LineString }
        createdById: uuid
      relationships: { room: { type: belongsTo, target: Room } }
      permissions:
        list: 'shared or hasRole("boss")'
        get: 'shared or hasRole("boss")'
        create: [authenticated]
        update: 'shared or hasRole("boss")'
        fields:
          proof: { read: [boss] }
          files: { read: [boss], write: [boss] }
          logo: { read: [boss], write: [boss] }
          hideout: { read: [boss], write: [boss] }
          route: { read: [owner, boss], write: [boss] }
  templates:
    slip:
      format: markdown
      permissions: { generate: ['*'] }
      parameters: [{ name: word, optional: true }]
      data: { work: { record: Work, include: [room] }, all: { source: Work, sort: title }, near: { source: Work, filter: 'title >= coalesce($params.word, "")', sort: title } }
      body: |
        {title} {proof} {files} {hideout} {route} {work.room.title} {size(all)}
        {#each near as one}{one.title} {one.proof} {one.hideout} {one.files | size}{#if one.proof == null}-{/if};{/each}
    page:
      format: html
      permissions: { generate: [authenticated], view: [clerk, boss] }
      data: { work: { record: Work } }
      body: '{title} {cover | image} {proof | image} {logo | image: 20} {logo}'
    closed:
      format: markdown
      permissions: { generate: [boss], view: [boss] }
      data: { work: { record: Work }, all: { source: Work } }
      body: '{proof} {hideout} {size(all)} {#each all as one}{one.title} {one.logo}{/each}'
    hung: { format: html, permissions: { generate: [boss], view: [clerk, boss] }, data: { work: { record: Work } }, body: '{title}' }
`
export const BASE = '/api/v1/gallery'
export const WORKS = `${BASE}/works`
export const ROOMS = `${BASE}/rooms`

/** The fields of a work; the last one is none. */
export const FIELDS =
  'id title shared cover proof files logo place hideout route roomId createdById nothing'.split(' ')
