import { collectRoutes, feature } from '../../bot/feature.ts'
import { tellCase } from './cases/tell-case.ts'
import { threatCommands } from './commands/show.ts'
import { type StoredThreats, sweepThreats, THREATS_KEPT_DAYS } from './memory/threat-retention.ts'
import { threatCases } from './rows/cases.ts'
import { threatMemory } from './rows/memory.ts'
import { threatShares } from './rows/shares.ts'
import { THREAT_TABLES } from './rows/tables.ts'
import { takedownWatches } from './rows/takedown-watches.ts'
import { threatVersions } from './rows/versions.ts'
import { takedownWork } from './takedown-watch/look-at-check.ts'

/** `/threat`, its card, files, cases, and takedown watches. */
export const threats = feature<StoredThreats>({
  name: 'threats',
  tables: THREAT_TABLES,
  settings: [THREATS_KEPT_DAYS],
  open({ database, time, keys, settings }) {
    const rows = {
      threatMemory: threatMemory(database, keys),
      threatVersions: threatVersions(database),
      threatCases: threatCases(database, time, keys),
      threatShares: threatShares(database),
      takedownWatches: takedownWatches(database, time, keys),
    }
    return {
      rows,
      async sweep(now, signal) {
        await sweepThreats({ ...rows, settings }, now, signal)
      },
      async erasePerson(workspaceId, { userId, alsoKnownAs }) {
        const { erased, unopened } = await rows.threatCases.erasePerson(workspaceId, userId, alsoKnownAs)
        return { cases: erased, unopened }
      },
    }
  },
  start({ store, rows, config, posting, apiOf, engine, log, report, now }) {
    const { wake } = engine
    const { baseUrls, pollMs: intervalMs } = config
    return {
      ...collectRoutes((routes) =>
        threatCommands(routes, { store: { ...store, ...rows }, baseUrls, wake, report, now }),
      ),
      work: [
        tellCase({ ...posting, ...rows }),
        takedownWork({ ...posting, ...rows, audit: store.audit, apiOf, intervalMs, now, wake, log }),
      ],
    }
  },
})
