import type { Routes } from '../../../bot/routes/routes.ts'
import { Question } from '../../../errors.ts'
import { safeDomain } from '../defang.ts'
import { exportOf, FORMATS, type Format } from '../indicators/export.ts'
import { indicatorsOf } from '../indicators/indicators.ts'
import { modifiedOf } from '../indicators/versions.ts'
import { refuseGuests } from '../privacy/asking.ts'
import { PAGE_SOURCE, SCREENSHOT, sendCapture } from '../screenshots/screenshots.ts'
import { sendFiles } from '../send-files.ts'
import { type One, verbOnOne } from './details.ts'
import type { ThreatTools } from './look-ups.ts'

/** What of an event comes as files, to the direct messages of whoever asks. */
export function fileCommands(routes: Routes, threats: ThreatTools): void {
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'export',
      usage: `export ID [--format ${FORMATS.join('|')}]`,
      does: 'The indicators as files, to your direct messages: CSV, a STIX 2.1 bundle and a MISP event',
      flags: { format: FORMATS, personal: 'switch', sure: 'switch' },
      acts: true,
    },
    (one) => exportIndicators(threats, one),
  )
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'screenshot',
      usage: 'screenshot ID',
      does: 'The screenshot that the service took, to your direct messages',
      acts: true,
      isPersonal: true,
    },
    (one) => sendCapture(SCREENSHOT, one),
  )
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'source',
      usage: 'source ID',
      does: "The page's source as a text file, to your direct messages",
      acts: true,
      isPersonal: true,
    },
    (one) => sendCapture(PAGE_SOURCE, one),
  )
}

async function exportIndicators(threats: ThreatTools, { ask, id, reading, args: { flags } }: One) {
  const isPersonal = flags.personal === true
  if (isPersonal) await refuseGuests(ask, '/threat export --personal', id)
  // The parser lets nothing through but the formats.
  const format = flags.format as Format | undefined
  if (isPersonal && !flags.sure) throw personalToo(id, format)
  const event = isPersonal ? reading.whole : reading.seen.event
  const indicators = indicatorsOf(event)
  // Found once: a second run of the act makes the same files.
  const since = await ask.keep('modified', async () =>
    (await modifiedOf(threats.versions, ask, { id, event, indicators, isPersonal })).toISOString(),
  )
  const { files, counts } = exportOf(event, indicators, { id, modified: new Date(since), isPersonal }, format)
  const about = reading.seen.event.domain ? safeDomain(reading.seen.event.domain, 120) : id
  return sendFiles(ask, `Indicators of ${about}: ${counts}.`, files)
}

/** Whoever is given the files has the personal data too, so that they are put in only after a word about it. */
function personalToo(id: string, format: Format | undefined): Question {
  const line = `/threat export ${id}${format ? ` --format ${format}` : ''}`
  return new Question(
    'The files would hold the e-mail address and the name of the domain’s owner, and so would every place that you pass them on to. Put them in?',
    [
      { label: 'Export without them', line },
      { label: 'Export personal data', line: `${line} --personal --sure` },
    ],
  )
}
