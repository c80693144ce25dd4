import { collectRoutes, feature, offer } from '../../bot/feature.ts'
import * as ports from '../../bot/ports.ts'
import { healthCheckCommands, homeSummary } from './commands.ts'
import { lookFromHere } from './diagnose/commands.ts'

/** `/hc`, `list`, `show`, `create`, `edit`, `delete`, `bulk`, `import`, `export`, `undo`, and `diagnose`. */
export const healthChecks = feature({
  name: 'health-checks',
  offers: [
    offer(ports.lookFromHere, ({ config, now }) =>
      config.mayConnect ? (check) => lookFromHere(check, config.isForbidden, now()) : undefined,
    ),
    offer(ports.environmentSummary, ({ use }) => {
      const seen = use(ports.watchedChecks)
      return (...asked) => homeSummary({ seen }, ...asked)
    }),
  ],
  start: ({ store, config, queue, use }) =>
    collectRoutes((routes) =>
      healthCheckCommands(routes, {
        queue,
        isForbidden: config.isForbidden,
        pageSize: config.pageSize,
        store: { ...store, watching: { carryChecks: use(ports.carryChecks) } },
        aboutCheck: use(ports.checkNotes),
        seen: use(ports.watchedChecks),
      }),
    ),
})
