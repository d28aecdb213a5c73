import type { Documentation, DomainAction } from '@svc/domain/contract'

/** Actions of a domain with what documents say of them: what a part hands on as `actions` and `describe().openapi`. */
export interface Window {
  readonly actions: readonly DomainAction[]
  readonly openapi: Documentation
}

/** Several windows as one. */
export const windows = (...all: readonly Window[]): Window => ({
  actions: all.flatMap(({ actions }) => actions),
  openapi: {
    schemas: Object.assign({}, ...all.map(({ openapi }) => openapi.schemas)),
    operations: Object.assign({}, ...all.map(({ openapi }) => openapi.operations)),
  },
})
