export const session = {
  title: 'Sign in',
  about: 'For those who operate this service. The first admin signs in as “admin”, with OPERATOR_PASSWORD.',
  name: 'Name',
  password: 'Password',
  showPassword: 'Show the password',
  code: 'Code',
  codeHint: 'Of your device; or a recovery code, which can be used once.',
  signIn: 'Sign in',
  signOut: 'Sign out',
  otherPerson: 'Sign out, to sign in as somebody else',
  again: 'Sign in again',
  over: 'Your session is over. Nothing on the page is lost: sign in and go on where you were.',
  confirm: {
    title: 'Is it you?',
    password: {
      about: 'Money, roles and holds need your password again. After that, you are not asked for five minutes.',
      wrong: 'The password is wrong.',
    },
    code: {
      about: 'Money, roles and holds need a code again. After that, you are not asked for five minutes.',
      wrong: 'The code is wrong, or was used before.',
    },
    act: 'Go on',
    cancel: 'Cancel',
  },
  choose: {
    title: 'Choose your password',
    about: 'Somebody else chose the one that you have now.',
  },
};
