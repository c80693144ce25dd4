import { feature } from '../../bot/feature.ts'
import { environmentSummary } from '../../bot/ports.ts'
import { homeSections } from './sections.ts'

/** App Home: setup steps, the status of the connected environments, and quick actions. */
export const home = feature({
  name: 'home',
  start: ({ store, config: { configured, hasOte, disabledFeatures }, use }) => ({
    home: homeSections({
      configured,
      hasOte,
      disabledFeatures,
      cached: store.cached,
      summary: use(environmentSummary),
    }),
  }),
})
