import type { Domains } from '@svc/domain/contract'
import { type Context, createUuidV7, repeat } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { localizationBlock } from './block.ts'
import { createImports } from './catalogue/imports.ts'
import { createSpeaker } from './speaker.ts'

/** How often a server looks for texts that another one has imported, in milliseconds. */
const LOOK_MS = 400

type Given = Context & { readonly domains: Domains; readonly store: Store }

/** Adds the key `localization`, and speaks for the domains that have it. */
export async function startLocalization({ domains, store, env, log, onOpen }: Given): Promise<void> {
  const imports = await createImports(store, createUuidV7(env))
  const speaker = createSpeaker(imports)
  domains.speak(speaker.speak)
  domains.block(localizationBlock(speaker.catalogueOf, imports))
  onOpen(() => repeat(imports.look, { everyMs: LOOK_MS, log, failure: 'localization.not_followed' }))
}
