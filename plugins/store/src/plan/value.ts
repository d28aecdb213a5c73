export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
/** A stored value in its JSON form, the same for every store. */
export type Value = Json
