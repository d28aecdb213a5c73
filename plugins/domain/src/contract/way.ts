import type { ExpressionFunction, Neighbour, Relation } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import type { Definition } from '../definition/schema/definition.ts'
import type { Field } from '../model/field.ts'

/** A function that plugins add to expressions. */
export interface AddedFunction extends ExpressionFunction {
  /** The ways by which its calls go from records of a resource, as `through` finds them among its relations. It is pure. */
  readonly ways?: ((from: WaySource) => readonly Way[]) | undefined
}

/** A resource from which a way may go, while its model is built. */
export interface WaySource {
  readonly domain: Definition
  readonly name: string
  readonly key: Field
  /** All but formulas. */
  readonly fields: ReadonlyMap<string, Field>
}

/** A way from records to rows of a table that is no resource. */
export interface Way {
  /** Its name begins with `~`, so that no text can write it. */
  readonly relation: Relation
  /**
   * Reads what records lead to, as expressions find it in this process. A record may be one that is not stored yet, or may have
   * some of its fields alone, `relation.near` among them.
   */
  read(records: readonly Row[], reader: Reader): Promise<(record: Row) => readonly Neighbour[]>
}
