import { createUuidV7, type Environment } from '@svc/kernel'
export const createMarks = (env: Environment): (() => string) => createUuidV7(env)
