import type { GivenRole, Grant, Subject } from '../../domain/roles.ts'

/** Who has a role, apart from those who have it by Slack's word or by the installation. */
export interface Holders {
  people: readonly string[]
  groups: readonly string[]
  everyone: boolean
}

/** Who has the role by these grants. */
export function holdersOf(given: readonly Grant[], role: GivenRole): Holders {
  const subjects = given.filter((grant) => grant.role === role).map(({ subject }) => subject)
  const idsOf = (kind: Subject['kind']) =>
    subjects.filter((subject) => subject.kind === kind).map(({ id }) => id)
  return {
    people: idsOf('user'),
    groups: idsOf('group'),
    everyone: subjects.some(({ kind }) => kind === 'everyone'),
  }
}

/** The same as the subjects of grants. */
export function subjectsOf({ people, groups, everyone }: Holders): Subject[] {
  return [
    ...(everyone ? [{ kind: 'everyone' as const, id: '*' }] : []),
    ...groups.map((id) => ({ kind: 'group' as const, id })),
    ...people.map((id) => ({ kind: 'user' as const, id })),
  ]
}

/** True for the same ids in any order. */
export function sameIds(left: readonly string[], right: readonly string[]): boolean {
  const ids = new Set(left)
  return ids.size === new Set(right).size && right.every((id) => ids.has(id))
}

export const sameHolders = (left: Holders, right: Holders): boolean =>
  sameIds(left.people, right.people) && sameIds(left.groups, right.groups) && left.everyone === right.everyone
