/**
 * What the page draws, by the `type` that it has on the wire. The drawers are held to these lists by their types, and the
 * lists to `@slack/types` by a test: whatever stands in neither list is a gap that nobody has noticed.
 */
export const DRAWN_BLOCKS = [
  'actions',
  'alert',
  'card',
  'carousel',
  'container',
  'context',
  'context_actions',
  'data_table',
  'data_visualization',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'markdown',
  'plan',
  'rich_text',
  'section',
  'table',
  'task_card',
  'video',
] as const

export const DRAWN_ELEMENTS = [
  'button',
  'channels_select',
  'checkboxes',
  'conversations_select',
  'datepicker',
  'datetimepicker',
  'email_text_input',
  'external_select',
  'feedback_buttons',
  'file_input',
  'icon_button',
  'image',
  'multi_channels_select',
  'multi_conversations_select',
  'multi_external_select',
  'multi_static_select',
  'multi_users_select',
  'number_input',
  'overflow',
  'plain_text_input',
  'radio_buttons',
  'rich_text_input',
  'static_select',
  'timepicker',
  'url_text_input',
  'users_select',
  'workflow_button',
] as const

/** The leaves and the parts of rich text, cells of tables, texts, and the sources of a task. */
export const DRAWN_PARTS = [
  'broadcast',
  'channel',
  'color',
  'date',
  'emoji',
  'link',
  'mrkdwn',
  'plain_text',
  'raw_number',
  'raw_text',
  'rich_text_list',
  'rich_text_preformatted',
  'rich_text_quote',
  'rich_text_section',
  'team',
  'text',
  'url',
  'user',
  'usergroup',
] as const

/** What `@slack/types` names and the page does not draw: why. */
export const NOT_DRAWN: Readonly<Record<string, string>> = {
  blocks: 'a piece of a stream: the message shows the blocks that come of it',
  markdown_text: 'a piece of a stream: the message shows the text that comes of it',
  plan_update: 'a piece of a stream: the message shows the plan that comes of it',
  task_update: 'a piece of a stream: the message shows the task that comes of it',
  select: 'a menu of an attachment of old, which the server refuses',
}
