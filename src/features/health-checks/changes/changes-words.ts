import { UserError } from '../../../errors.ts'
import { IMPORT } from './changes-job.ts'

/** How the two kinds of jobs are spoken of. */
const WORDS: Readonly<Record<string, { verb: string; noun: string; over: UserError }>> = {
  import: {
    verb: '/hc import',
    noun: 'import',
    over: new UserError(
      'This import runs already, or has ended, or is too old. Choose the file again: what is there already is not created twice.',
      [{ label: 'Import a file', line: '/hc import' }],
    ),
  },
  job: {
    verb: '/hc job',
    noun: 'job',
    over: new UserError('This runs already, or has ended, or is too old.', [
      { label: 'What runs', line: '/hc jobs' },
    ]),
  },
}

/** What people read of a job of this kind. */
export const wordsOf = (kind: string) => {
  const words = WORDS[kind === IMPORT ? 'import' : 'job']
  if (!words) throw new Error('There are two kinds of jobs.')
  return words
}
