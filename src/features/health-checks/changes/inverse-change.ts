import type { Change, Edit, Patch } from './change.ts'
import { bodyFrom, differing } from './change-fields.ts'

/** The change that brings back what this one has changed; undefined where nothing is known of what there was. */
export function inverseOf(change: Change, uuid: string): Change | undefined {
  switch (change.do) {
    case 'create': {
      const { body, alerts } = change
      const { httpServerAddress, ...fields } = body
      const given = httpServerAddress === undefined ? {} : { given: httpServerAddress }
      return { do: 'delete', uuid, name: body.name, expects: { fields, alerts }, ...given }
    }
    case 'edit':
      return editBack(change)
    case 'delete': {
      const body = change.before && bodyFrom(change.before.fields)
      return body && { do: 'create', body, alerts: change.before?.alerts ?? [] }
    }
  }
}

/** Only what it has changed goes back, and only where nobody has changed it again. */
function editBack({ uuid, before, after, alerts }: Edit): Edit | undefined {
  if (!before || !after) return undefined
  const changed = differing(before.fields, after.fields)
  const pick = (fields: Patch): Patch =>
    Object.fromEntries(changed.map((field) => [field, fields[field] ?? null]))
  const { httpServerAddress: given } = after.fields
  return {
    do: 'edit',
    uuid,
    name: before.fields.name ?? '',
    patch: pick(before.fields),
    expects: { fields: pick(after.fields), ...(alerts && { alerts: after.alerts }) },
    ...(alerts && { alerts: { exactly: before.alerts } }),
    ...(given && { given }),
  }
}
