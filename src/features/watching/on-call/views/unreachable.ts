import { card, commandButton, type Message } from '@signalman/slack'
import { environmentSuffix } from '../../../../domain/environment.ts'
import { quoted } from '../../../../domain/quoting.ts'
import { describeFilter } from '../../rules/filter-fields.ts'
import type { Watch } from '../../rules/watch.ts'
import { channelLinkParts } from '../../views/words.ts'

/** The direct message to the owner of a watch that should page people whom Slack can't notify. */
export const unreachableView = (watch: Watch, unreachable: readonly string[]): Message =>
  card({
    headline: [
      'Your watch in ',
      ...channelLinkParts(watch.channelId),
      ` can’t page everyone it should: ${unreachable.join(', ')}`,
    ],
    notes: [
      `Watch: ${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}. Change who is paged when nobody is on an outage.`,
    ],
    controls: [
      commandButton('Change the watch', `/hc watch-edit ${quoted(watch.id)} --env ${watch.environment}`),
      commandButton('All watches', '/hc watches --all'),
    ],
  })
