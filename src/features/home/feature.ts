import { feature } from '../../bot/feature.ts'
import { environmentSummary } from '../../bot/ports.ts'
import { homeSections } from './sections.ts'

/** App Home: what waits for you, what is down, and for admins the settings. */
export const home = feature({
  name: 'home',
  start: ({ store: { cached }, config: { configured }, use }) => ({
    home: homeSections({ configured, cached, summary: use(environmentSummary) }),
  }),
})
