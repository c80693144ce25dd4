/** Groups of methods with their names. */
const named = (families: string): string[] =>
  families
    .trim()
    .split(/\s+/)
    .flatMap((each) => {
      const [family = '', names = ''] = each.split(':')
      return names.split(',').map((name) => `${family}.${name}`)
    })

/**
 * Methods that Slack accepts only with a person's token; a bot token gets `not_allowed_token_type`.
 * (https://docs.slack.dev/reference/methods, each one's scopes; slackapi/bolt-python#871; November 2026)
 */
export const USERS_METHODS: ReadonlySet<string> = new Set(
  named(`
admin.analytics:getFile admin.apps.activities:list admin.apps:approve,clearResolution,restrict,uninstall
admin.apps.approved:list admin.apps.config:lookup,set admin.apps.requests:cancel,list admin.apps.restricted:list
admin.auth.policy:assignEntities,getEntities,removeEntities admin.barriers:create,delete,list,update
admin.conversations:archive,bulkArchive,bulkDelete,bulkMove,convertToPrivate,convertToPublic,create,delete
admin.conversations:disconnectShared,getConversationPrefs,getCustomRetention,getTeams,invite,lookup
admin.conversations:removeCustomRetention,rename,search,setConversationPrefs,setCustomRetention,setTeams,unarchive
admin.conversations.ekm:listOriginalConnectedChannelInfo
admin.conversations.restrictAccess:addGroup,listGroups,removeGroup admin.emoji:add,addAlias,list,remove,rename
admin.functions:list admin.functions.permissions:lookup,set admin.inviteRequests:approve,deny,list
admin.inviteRequests.approved:list admin.inviteRequests.denied:list
admin.roles:addAssignments,listAssignments,removeAssignments admin.teams.admins:list admin.teams:create,list
admin.teams.owners:list admin.teams.settings:info,setDefaultChannels,setDescription,setDiscoverability,setIcon,setName
admin.usergroups:addChannels,addTeams,listChannels,removeChannels
admin.users:assign,getExpiration,invite,list,remove,setAdmin,setExpiration,setOwner,setRegular
admin.users.session:clearSettings,getSettings,invalidate,list,reset,resetBulk,setSettings
admin.users.unsupportedVersions:export admin.workflows.collaborators:add,remove admin.workflows.permissions:lookup
admin.workflows:search,unpublish apps.user.connection:update dnd:endDnd,endSnooze,setSnooze files:sharedPublicURL
openid.connect:userInfo reminders:add,complete,delete,info,list search:all,files,messages stars:add,list,remove
team:accessLogs,billableInfo,integrationLogs users:deletePhoto,identity,setPhoto users.profile:set
`),
)

/**
 * Slack's methods that the playground doesn't have, as in @slack/web-api 8.2 (https://docs.slack.dev/reference/methods, November
 * 2026).
 */
export const MISSING_METHODS: ReadonlySet<string> = new Set(
  named(`
agents.conversations:archive,create,getCanvas,listViews,removeView,setCanvasContent,setCommands,setProperties
agents.conversations:setView agents.sessions:rename,setStatus apps.event.authorizations:list
apps.manifest:create,delete,export,update apps:uninstall
calls:add,end,info,update calls.participants:add,remove canvases.access:delete,set
canvases:create,delete,edit canvases.sections:lookup
conversations:acceptSharedInvite,approveSharedInvite,declineSharedInvite,inviteShared,listConnectInvites
conversations.canvases:create conversations.externalInvitePermissions:set
conversations.requestSharedInvite:approve,deny,list dialog:open
files.comments:delete files:revokePublicURL files.remote:add,info,list,remove,share,update migration:exchange oauth:access
oauth.v2:exchange openid.connect:token
slackLists.access:delete,set slackLists:create,update slackLists.download:get,start
slackLists.items:create,delete,deleteMultiple,info,list,update
team.billing:info team.externalTeams:disconnect,list team.preferences:list tooling.tokens:rotate
users:setPresence users.discoverableContacts:lookup
workflows.featured:add,list,remove,set
`),
)

/** What Slack answers to a method that it has retired. */
export interface Retired {
  error: 'method_deprecated' | 'not_allowed_token_type'
  says: string
}

const replacedBy = (successor: string): Retired => ({
  error: 'method_deprecated',
  says: `This method is retired and can no longer be used. Use ${successor} instead.`,
})

const moved = (family: string, names: string): [string, Retired][] =>
  names.split(' ').map((name) => [`${family}.${name}`, replacedBy(`conversations.${name}`)])

const LISTS = replacedBy('conversations.list or users.conversations')
const SOCKET_MODE =
  'Slack gives RTM connections to classic apps only. Use Socket Mode: apps.connections.open.'

/**
 * Methods that Slack has retired and that other apps and tests still call. (`method_deprecated` with such a sentence:
 * vluzrmos/laravel-slack-api#34; files.upload:
 * https://docs.slack.dev/changelog/2024-04-a-better-way-to-upload-files-is-here-to-stay; steps from apps:
 * https://docs.slack.dev/changelog/2023-08-workflow-steps-from-apps-step-back; November 2026)
 */
export const RETIRED_METHODS: ReadonlyMap<string, Retired> = new Map([
  ...moved(
    'channels',
    'archive create history info invite join kick leave mark rename replies setPurpose setTopic unarchive',
  ),
  ...moved(
    'groups',
    'archive create history info invite kick leave mark open rename replies setPurpose setTopic unarchive',
  ),
  ...moved('im', 'close history mark open replies'),
  ...moved('mpim', 'close history mark open replies'),
  ['channels.list', LISTS],
  ['groups.list', LISTS],
  ['im.list', LISTS],
  ['mpim.list', LISTS],
  ['groups.createChild', replacedBy('conversations.create')],
  ['files.upload', replacedBy('files.getUploadURLExternal and files.completeUploadExternal')],
  ['workflows.stepCompleted', replacedBy('functions.completeSuccess')],
  ['workflows.stepFailed', replacedBy('functions.completeError')],
  ['workflows.updateStep', replacedBy('a custom step (the functions of a manifest)')],
  ['rtm.start', { error: 'method_deprecated', says: SOCKET_MODE }],
  ['rtm.connect', { error: 'not_allowed_token_type', says: SOCKET_MODE }],
])
