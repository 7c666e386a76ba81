/**
 * The parts of the page of members: the members, the invitations, and the groups that have a role.
 */
import { ROLES, type Role } from '../../domain/rights.ts';
import type { GroupRole } from '../../store/groupRoles.ts';
import type { Invitation } from '../../store/invitations.ts';
import type { Member } from '../../store/members.ts';
import { whoDid } from '../words/auditSentences.ts';
import { Confirm } from './confirm.tsx';
import { initialsOf } from './person.tsx';
import { Scroll } from './tableParts.tsx';
import { When } from './when.tsx';

/** An invitation that was just made. */
export interface Invited {
  readonly row: Invitation;
  /** Where the invited person goes. */
  readonly url: string;
}

const nameOf = ({ email, name, subject }: Member) => email ?? name ?? subject;

const RoleOptions = ({ chosen = 'member' }: { chosen?: Role }) => (
  <>
    {ROLES.map((one) => (
      <option value={one} selected={one === chosen}>
        {one}
      </option>
    ))}
  </>
);

const RoleField = () => (
  <label>
    Role{' '}
    <select name="role">
      <RoleOptions />
    </select>
  </label>
);

const RoleForm = ({
  at,
  field,
  value,
  role,
  about,
}: Record<'at' | 'field' | 'value' | 'about', string> & { role: Role }) => (
  <form method="post" action={at} class="buttons">
    <input type="hidden" name={field} value={value} />
    <select name="role" aria-label={`Role of ${about}`}>
      <RoleOptions chosen={role} />
    </select>{' '}
    <button type="submit">
      Save<span class="out-of-sight"> the role of {about}</span>
    </button>
  </form>
);

/** Reminds of the links that are open, when somebody is removed or gets a lower role. */
export const openLinks = (links: number): string =>
  `${links === 1 ? 'One link is' : `${links} links are`} open. Links do not let this person in again, but with another account they could join. Revoke the links that they know.`;

interface MembersPartProps {
  readonly at: string;
  readonly members: readonly Member[];
  /** The id of the person who looks. */
  readonly own: string;
  /** True if there may be more members. */
  readonly isFull: boolean;
  /** How many links are open. */
  readonly links: number;
}

export const MembersPart = ({ at, members, own, isFull, links }: MembersPartProps) => {
  const hasGroups = members.some(({ groupRole }) => groupRole !== null);
  return (
    <>
      <Scroll label="Members">
        <table class="stacked members">
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Role</th>
              {hasGroups && <th scope="col">By groups</th>}
              <th scope="col">Member since</th>
              <th scope="col">Last sign-in</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {members.map((member, i) => (
              <tr>
                <th scope="row">
                  <Name member={member} isOwn={member.id === own} />
                </th>
                <td data-label="Role">
                  <RoleForm
                    at={`${at}/role`}
                    field="id"
                    value={member.id}
                    role={member.givenRole ?? member.role}
                    about={nameOf(member)}
                  />
                </td>
                {hasGroups && <td data-label="By groups">{member.groupRole ?? '–'}</td>}
                <td data-label="Member since">
                  <When at={member.createdAt} as="ago" />
                </td>
                <td data-label="Last sign-in">
                  <When at={member.signedInAt} as="ago" />
                </td>
                <td data-label="Actions">
                  {member.id !== own && <Actions at={at} member={member} number={i} links={links} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {isFull && (
        <nav class="pages" aria-label="Pages of members">
          <a href={`${at}?after=${members.at(-1)?.id}`}>More</a>
        </nav>
      )}
    </>
  );
};

/** An avatar and the name, with the e-mail address below it. */
const Name = ({ member, isOwn: isMe }: { member: Member; isOwn: boolean }) => {
  const { name, email } = member;
  const title = name ?? nameOf(member);
  return (
    <span class="who">
      <span class={isMe ? 'avatar own' : 'avatar'} aria-hidden="true">
        {initialsOf(title, true)}
      </span>
      <span>
        {title}
        {isMe && ' (you)'}
        {email !== null && email !== title && <span class="along">{email}</span>}
      </span>
    </span>
  );
};

const Actions = ({ at, member, number, links }: { at: string; member: Member; number: number; links: number }) => (
  <div class="buttons">
    <Confirm
      id={`remove-${number}`}
      label="Remove"
      about={nameOf(member)}
      question={removalOf(member, links)}
      action={`${at}/remove`}
      fields={{ id: member.id }}
    />{' '}
    <Confirm
      id={`transfer-${number}`}
      label="Make owner"
      about={nameOf(member)}
      question={`Make “${nameOf(member)}” an owner, and yourself an operator?`}
      action={`${at}/transfer`}
      fields={{ id: member.id }}
    />
  </div>
);

const removalOf = (member: Member, links: number): string =>
  [
    `Remove “${nameOf(member)}”? Their sessions end at once, and the invitations that they made.`,
    ...(member.groupRole === null
      ? []
      : ['A group of theirs has a role here: they come back when they sign in, unless you take it.']),
    ...(links === 0 ? [] : [openLinks(links)]),
  ].join(' ');

interface InvitationsPartProps {
  readonly at: string;
  readonly invitations: readonly Invitation[];
  readonly invited: Invited | undefined;
}

export const InvitationsPart = ({ at, invitations, invited }: InvitationsPartProps) => (
  <section aria-labelledby="invitations-title">
    <h2 id="invitations-title" class={invitations.length === 0 ? 'out-of-sight' : undefined}>
      Invitations
    </h2>
    {invited !== undefined && <InviteText {...invited} />}
    {invitations.length > 0 && (
      <Scroll label="Invitations">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">For</th>
              <th scope="col">Role</th>
              <th scope="col">Made by</th>
              <th scope="col">Ends</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {invitations.map(({ id, email, role, createdBy, expiresAt }, i) => (
              <tr>
                <th scope="row">{email ?? 'whoever has the link'}</th>
                <td data-label="Role">{role}</td>
                <td data-label="Made by">{whoDid(createdBy)}</td>
                <td data-label="Ends">
                  <When at={expiresAt} as="ago" />
                </td>
                <td data-label="Actions">
                  <Confirm
                    id={`revoke-${i}`}
                    label="Revoke"
                    about={email ?? 'the link'}
                    question={`Revoke the invitation of ${email ?? 'whoever has the link'}?`}
                    action={`${at}/revoke`}
                    fields={{ id }}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    )}
    <form method="post" action={at} class="fields">
      <h3>Invite somebody</h3>
      <label>
        E-mail address (empty: a link that several people may use){' '}
        <input name="email" type="email" maxlength={320} autocomplete="off" />
      </label>
      <RoleField />
      <p class="hint">
        Viewers look. Members also reserve and book. Operators also register resources, take away what others hold, and
        see Changes. Owners also manage members, keys and settings.
      </p>
      <p class="hint">You get a text with a link, to send yourself: the service e-mails no invitations.</p>
      <button type="submit">Invite</button>
    </form>
  </section>
);

/** The text that the owner sends: the service does not e-mail invitations. */
const InviteText = ({ row: { email, role, expiresAt }, url }: Invited) => (
  <div class="notice good">
    <p>
      The invitation is made. No e-mail is sent: send this text yourself.
      {email === null && ' The link is shown only now.'}
    </p>
    <pre>
      <code id="invite-text">
        {`You are invited to Holdfast, as ${role}. Open ${url} by ${expiresAt.toISOString().slice(0, 10)}${email === null ? '.' : `, and sign in as ${email}.`}`}
      </code>
    </pre>
    <button type="button" data-copy="invite-text" hidden>
      Copy the text
    </button>
  </div>
);

interface GroupsPartProps {
  readonly at: string;
  readonly groups: readonly GroupRole[];
  /** The groups of the person who looks. */
  readonly own: readonly string[];
}

export const GroupsPart = ({ at, groups, own }: GroupsPartProps) => {
  const free = own.filter((one) => !groups.some(({ group }) => group === one));
  if (groups.length === 0 && free.length === 0) return null;
  return (
    <section aria-labelledby="groups-title">
      <h2 id="groups-title">Groups of the identity provider</h2>
      <p>Whoever is in one of these groups becomes a member when they sign in.</p>
      <ul>
        {groups.map(({ group, role }) => (
          <li class="buttons">
            {group} <RoleForm at={`${at}/group`} field="group" value={group} role={role} about={group} />
            <form method="post" action={`${at}/group/delete`}>
              <input type="hidden" name="group" value={group} />
              <button type="submit">
                Take the role<span class="out-of-sight"> of {group}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      {free.length > 0 && (
        <form method="post" action={`${at}/group`} class="fields">
          <label>
            Group of yours{' '}
            <select name="group">
              {free.map((one) => (
                <option value={one}>{one}</option>
              ))}
            </select>
          </label>
          <RoleField />
          <button type="submit">Give the group a role</button>
        </form>
      )}
    </section>
  );
};
