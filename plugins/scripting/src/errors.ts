import { defineErrors } from '@svc/kernel'

/** Why a handler gave no answer, and why a script's call was refused. */
export const scriptingErrors = defineErrors({
  SCRIPT_REFUSED: [422, 'A script refuses this'],
  SCRIPT_LATE: [422, 'A script took too long and was ended'],
  SCRIPT_TOO_LARGE: [422, 'A script took too much memory and was ended'],
  SCRIPT_BROKEN: [422, 'A script broke its sandbox and was ended'],
  SCRIPT_BUSY: [422, 'A script has too much to do: try again'],
  SCRIPT_TOO_DEEP: [422, 'Scripts set each other off without end: one of them has to stop'],
  SCRIPT_GONE: [422, 'A script is being replaced: try again'],
  USER_REFUSED: [403, 'The user whose rights the script has is suspended or removed'],
  NO_JSON: [422, 'The action answers something that is no JSON'],
  TOO_LARGE: [413, 'The action answers more than a script can take: ask for less'],
  TOO_MANY_CALLS: [429, 'Too many calls at once: await some of them'],
})
