import type { Reachability } from '../../../src/bot/access/reachable.ts'

/** A workspace whose groups have no members that Signalman knows. */
export const findSlackGroups = async () => ({ groupMembers: async (): Promise<string[]> => [] })

/**
 * Everyone can be notified everywhere, except for whom `explain` gives a reason. People and groups are called the same. `admins`
 * can be paged as a last resort.
 */
export const createFakeReachability = (
  explain: (id: string) => string | undefined = () => undefined,
  admins: readonly string[] = [],
): Reachability => ({
  explainPerson: async (_place, id) => explain(id),
  explainGroup: async (_place, id) => explain(id),
  findAdmin: async (_workspace, except = []) =>
    admins.find((id) => !except.includes(id) && explain(id) === undefined),
})
