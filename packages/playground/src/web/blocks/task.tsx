import type { BlockOf, Task } from '../block-kit.ts'
import { Each } from '../each.ts'
import { Icon } from '../icon.tsx'
import { SafeLink } from '../text/inline-view.tsx'
import { Plain } from '../text/text-view.tsx'
import { RichTextView } from './rich-text.tsx'

const STATUS = {
  pending: { name: 'Waiting', icon: 'record' },
  in_progress: { name: 'In progress', icon: 'play' },
  complete: { name: 'Done', icon: 'check' },
  error: { name: 'Failed', icon: 'warning' },
} as const

/** One task of an agent: its status, details, output, and sources. */
export function TaskView({ task }: { task: Task }) {
  const status = task.status ?? 'pending'
  const { name, icon } = STATUS[status]
  return (
    <div className={`task task-${status}`}>
      <p className="task-title">
        <span className="task-icon">
          <Icon name={icon} />
        </span>
        <strong>
          <Plain text={task.title} />
        </strong>
        <span className="task-status soft">{name}</span>
      </p>
      {task.details && <RichTextView block={task.details} />}
      {task.output && <RichTextView block={task.output} />}
      {task.sources && task.sources.length > 0 && (
        <ul className="task-sources">
          <Each of={task.sources}>
            {({ url, text }) => (
              <li>
                <SafeLink url={url}>{text}</SafeLink>
              </li>
            )}
          </Each>
        </ul>
      )}
    </div>
  )
}

export function Plan({ block }: { block: BlockOf<'plan'> }) {
  const { title, tasks = [] } = block
  const done = tasks.filter(({ status }) => status === 'complete').length
  return (
    <div className="plan">
      <p className="plan-title">
        <strong>
          <Plain text={title} />
        </strong>
        <span className="task-status soft">
          {done} of {tasks.length} done
        </span>
      </p>
      <Each of={tasks}>{(task) => <TaskView task={task} />}</Each>
    </div>
  )
}
