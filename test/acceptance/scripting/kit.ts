import { createFolder, type TestFolder } from '../../kit/server-process.ts'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { afterAll, beforeAll } from 'vitest'
import { ENTRIES, LAB, SAMPLES } from './lab.ts'

/** A laboratory whose scripts run. */
export interface Lab extends TestKernel {
  readonly scripts: TestFolder
  /** Makes a sample and answers its path. */
  sample(title: string, who?: string): Promise<string>
  /** What scripts have entered under a name about a record, the latest first. */
  entries(name: string, about?: string): Promise<readonly { readonly detail: any; readonly about: string }[]>
}

/** A laboratory with scripts for all tests of the surrounding `describe`; call the answer inside tests. */
export function useLab(
  store: StoreUnderTest,
  files: Readonly<Record<string, string>>,
  config: object = {},
): () => Lab {
  let lab: Lab | undefined
  const scripts = createFolder()
  beforeAll(async () => {
    for (const [name, text] of Object.entries(files)) scripts.write(text, name)
    const scripting = { dir: scripts.path, ...config }
    const server = await startTestKernel({ store, definition: LAB, config: { scripting } })
    lab = { ...server, scripts, ...shortcuts(server) }
  })
  afterAll(async () => {
    await lab?.stop()
    scripts.remove()
  })
  return () => {
    if (lab === undefined) throw new Error('the laboratory is open inside tests only')
    return lab
  }
}

const shortcuts = ({ request, admin }: TestKernel): Pick<Lab, 'sample' | 'entries'> => ({
  async sample(title, token = admin) {
    const { status, body } = await request('POST', SAMPLES, { token, body: { title } })
    if (status !== 201) throw new Error(`no sample was made: ${JSON.stringify(body)}`)
    return `${SAMPLES}/${body.data.id}`
  },
  async entries(name, about) {
    const of = about === undefined ? '' : `&filter[about][eq]=${about.split('/').at(-1)}`
    const path = `${ENTRIES}?filter[name][eq]=${name}${of}&sort=-id`
    return (await request('GET', path, { token: admin })).body.data.items
  },
})
