import type { Asked as Sent, Desk } from '../files/desk.ts'
import { closeDesk, openDesk } from '../files/desk.ts'
import { PLACES, type PlaceUnderTest } from '../files/places.ts'
import { tick } from '../notifications/outbox.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import type { TestAccount } from '../../kit/test-kernel.ts'
import type { Config, Plugin } from '@svc/kernel'
import { afterAll, beforeAll } from 'vitest'

export const BASE = '/api/v1/shop'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  // Tests look into answers whose shape is the very thing under test.
  readonly body: any
}

/** What these tests do with a server that makes documents. */
export interface Workroom extends Desk {
  /** Sends JSON as whoever has the token; without one as nobody. */
  send(method: string, path: string, token: string | undefined, body?: unknown, more?: Sent): Promise<Answer>
  /** An account of this name, which is made once. */
  account(name: string, roles?: readonly string[]): Promise<TestAccount>
  /** Makes a record as the administrator; answers its key. */
  record(path: string, values: object): Promise<string>
  /** The text of a preview, as the administrator unless another token is given. */
  preview(template: string, asked: object, token?: string): Promise<string>
  /** Generates what has to be generated; answers the document. */
  generate(template: string, asked: object, token?: string): Promise<any>
  /** Does the work that is due. */
  tick(): Promise<void>
  /** What `GET /documents` lists, as the administrator unless another token is given. */
  documents(query?: string, token?: string): Promise<readonly any[]>
  /** The text of a document, as the administrator. */
  text(document: { readonly id: string }): Promise<string>
}

const [disk] = PLACES

export interface WorkroomOptions {
  readonly place?: PlaceUnderTest
  readonly sections?: Config
  /** What the section `files` has besides. */
  readonly files?: object
  readonly plugins?: readonly Plugin[]
}

/** A server that makes documents, for all tests of the surrounding `describe`. */
export function useWorkroom(
  store: StoreUnderTest,
  definition: string,
  { place = disk!, sections, files, plugins }: WorkroomOptions = {},
): () => Workroom {
  let room: Workroom | undefined
  beforeAll(async () => {
    const desk = await openDesk(store, place, files, sections, plugins)
    room = roomOf(desk)
    await desk.server.submit(definition)
  })
  afterAll(() => room && closeDesk(room))
  return () => {
    if (room === undefined) throw new Error('the room is there inside tests only')
    return room
  }
}

function roomOf(desk: Desk): Workroom {
  const { admin } = desk.server
  const send: Workroom['send'] = async (method, path, token, body, more = {}) => {
    const answer = await desk.ask(method, path, {
      token,
      ...more,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...more.headers },
      }),
    })
    return answer
  }
  const accounts = new Map<string, Promise<TestAccount>>()
  return {
    ...desk,
    send,
    account(name, roles) {
      const known = accounts.get(name) ?? desk.server.account(name, roles)
      accounts.set(name, known)
      return known
    },
    async record(path, values) {
      const { status, body } = await send('POST', `${BASE}/${path}`, admin, values)
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
      return body.data.id
    },
    async preview(template, asked, token = admin) {
      const { status, bytes } = await send('POST', `${BASE}/templates/${template}/preview`, token, asked)
      if (status !== 200) throw new Error(`${status}: ${bytes.toString()}`)
      return bytes.toString()
    },
    async generate(template, asked, token = admin) {
      const { status, body } = await send('POST', `${BASE}/templates/${template}/generate`, token, asked)
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
      return body.data
    },
    tick: async () => void (await tick(desk.server)),
    async documents(query = '', token = admin) {
      const { status, body } = await send('GET', `${BASE}/documents${query}`, token)
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
      return body.data.items
    },
    text: async ({ id }) => (await send('GET', `${BASE}/documents/${id}/download`, admin)).bytes.toString(),
  }
}
