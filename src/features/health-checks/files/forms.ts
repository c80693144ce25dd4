import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import { fileInput, section, switchInput, type Upload } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext, Messaging, Requester } from '../../../bot/routes/command-context.ts'
import { IMPORT } from '../changes/changes-job.ts'
import { addChanges, type ChangesParts, plannedOf } from '../changes/start-changes.ts'
import { saying } from '../changes/views.ts'
import { OPTIONAL, REQUIRED } from './columns.ts'
import { type Plan, planOf } from './plan.ts'
import { readFile } from './read-file.ts'
import { reportMany } from './report.ts'
import { type Checked, checkedView } from './views.ts'

/**
 * Asks for a file. Nothing is changed by sending it in: it is a dry run, whose outcome holds the button that carries it out.
 */
export const importForm = form({
  id: 'health-checks.import',
  title: 'Import health checks',
  button: 'Check the file',
  verb: '/hc import',
  needs: 'operator',
  working: 'Reading the file, and looking what of it is there already…',
  isMarked: true,
  asks: (_, deletes: boolean) => ({
    blocks: [
      section(
        'The file is checked first. Nothing is created or changed until you have seen what would happen. A file from /hc export can be used as it is.',
      ),
      fileInput('file', 'CSV file', {
        types: ['csv', 'txt', 'tsv'],
        hint: `The first line names the columns: ${REQUIRED.join(', ')}; also ${OPTIONAL.join(', ')} where you need them. At most ${TEXT_LIMITS.fileBytes / (1024 * 1024)} MB.`,
      }),
      switchInput('deletes', 'Health checks that are not in the file', {
        says: 'Delete the other health checks of its customers',
        isOn: deletes,
      }),
    ],
  }),
  read(answers) {
    const [fileId] = answers.files('file')
    if (!fileId) throw new FieldErrors({ file: 'Choose a CSV file.' })
    return { fileId, deletes: answers.choices('deletes').includes('yes') }
  },
  async submit(context, { fileId, deletes }, _, parts: ChangesParts) {
    const { fileName, plan } = await planOfFile(context, fileId, deletes)
    const { account } = await context.api()
    const about = { verb: '/hc import', title: fileName, fileName, planned: plannedOf(plan.changes), account }
    const jobId =
      plan.changes.length > 0
        ? await addChanges(parts, context, { kind: IMPORT, about }, plan.changes)
        : undefined
    const checked: Checked = {
      fileName,
      plan,
      ...(await reports(context, fileName, plan)),
    }
    return checkedView(jobId, checked, context.environment)
  },
})

/** What a file that lies in Slack would change. Reads only. Throws UserError and ApiError. */
async function planOfFile(
  context: Pick<CommandContext, 'slack' | 'api'>,
  fileId: string,
  deletes: boolean,
): Promise<{ fileName: string; plan: Plan }> {
  const slack = await context.slack()
  const { name: fileName, bytes } = await slack.download(fileId, TEXT_LIMITS.fileBytes)
  const file = await readFile(bytes)
  return { fileName, plan: await planOf(await context.api(), file, { deletes }) }
}

/** Sends the person lists as files where they are too long for the window. */
async function reports(
  context: Requester & Messaging,
  fileName: string,
  { bad, changes }: Plan,
): Promise<Pick<Checked, 'hasReport' | 'hasPlan'>> {
  const behind = (says: string) => async (report: Upload) =>
    (await context.slack()).upload(await context.tell(context.userId, saying([says])), report)
  return {
    hasReport: await reportMany(
      behind('Every problem in the file that you wanted to import:'),
      { name: 'problems.csv', title: `Problems in ${fileName}` },
      ['line', 'column', 'problem'],
      bad.map(({ line, column, says }) => [String(line), column, says]),
    ),
    hasPlan: await reportMany(
      behind('Everything that the import would do:'),
      { name: 'plan.csv', title: `Plan for ${fileName}` },
      ['line', 'does'],
      changes.map(({ line, says }) => [String(line), says]),
    ),
  }
}
