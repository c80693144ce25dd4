import { card, clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { describeFilter } from '../rules/filter-fields.ts'
import type { MatchingChecks, WatchSettings } from '../rules/watch.ts'
import { describeSettings, formatWatchLine, type WatchValues } from '../rules/watch-fields.ts'

interface PreviewedWatch {
  settings: WatchSettings
  /** The values to save, or to show in the window again. */
  values: WatchValues
  matching: MatchingChecks | undefined
}

/** Shows what a watch matches now, before it is saved. */
export function previewView({ settings, values, matching }: PreviewedWatch): Message {
  const watchText = `Watch: ${[`${describeFilter(settings.filter)}${environmentSuffix(values.env ?? 'production')}`, ...describeSettings(settings)].join(' · ')}`
  const [sentence, ...notes] = describeMatching(matching)
  return card({
    headline: `${sentence} Nothing is saved yet.`,
    notes: [watchText, ...notes],
    controls: [
      // The preview has shown how many match.
      commandButton('Save', `${formatWatchLine(values)} --sure`, { style: 'primary', inPlace: true }),
      commandButton('Change', formatWatchLine(values, { verb: 'watch-edit' }), { inPlace: true }),
    ],
  })
}

/** `Matches 12 health checks now, 1 of them down.`, and their names. */
function describeMatching(matching: MatchingChecks | undefined): readonly [string, ...string[]] {
  if (!matching)
    return [
      'Signalman can’t say which health checks match, because there are too many or the service didn’t list them in time.',
    ]
  const { count, down, names } = matching
  if (count === 0)
    return [
      'No health check matches now.',
      'If you expected a match, check the spelling. A health check that matches later is watched from then on.',
    ]
  const singleState = down === 1 ? 'which is down' : 'which isn’t down'
  const severalState = down === 0 ? 'none of them down' : `${formatCount(down)} of them down`
  return [
    `Matches ${pluralize(count, 'health check')} now, ${count === 1 ? singleState : severalState}.`,
    `${count > names.length ? 'For example, ' : ''}${names.map((name) => clip(oneLine(name), 80)).join(', ')}`,
  ]
}
