import { AppShell, Box, Burger, Group, NavLink, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import logo from '../icon.svg';
import { Icon, type IconName } from '../icons.js';
import { words } from '../words.js';
import classes from './app-frame.module.css';
import { OfflineNote } from './offline-note.js';
import { ThemeMenu } from './theme-menu.js';

export interface FrameLink {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  /** E.g. a number of things that wait. */
  readonly mark?: ReactNode;
  /** The gateway serves the page; the console leaves for it. */
  readonly isOutside?: boolean;
}

export interface FrameSection {
  readonly title?: string;
  readonly links: readonly FrameLink[];
}

interface FrameProps {
  /** Beside the name of the product, e.g. "Operator". */
  readonly subtitle?: string;
  readonly sections: readonly FrameSection[];
  /** At the right of the head, e.g. the balance and who is signed in. */
  readonly head?: ReactNode;
  /** Under the head, over every page, e.g. that this is test mode. */
  readonly banner?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around every page: the head, the menu and the place of the page. */
export function AppFrame({ subtitle, sections, head, banner, children }: FrameProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu of a phone.
  useEffect(close, [path]);
  const burger = useRef<HTMLButtonElement>(null);
  /** A menu that is closed has no focus; on a wide screen, which has no button for it, nothing happens. */
  const leaveMenu = () => {
    close();
    burger.current?.focus();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && isOpen) leaveMenu();
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={0}
      transitionDuration={0}
      classNames={{ header: classes.header, navbar: classes.navbar, main: classes.main }}
    >
      <AppShell.Header>
        <a className="skip" href="#content">
          {words.skip}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={toggle}
              onKeyDown={onKeyDown}
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? words.menu.close : words.menu.open}
            />
            <Link href="/" className={classes.brand}>
              <img src={logo} alt="" width="26" height="26" />
              <span className={classes.name}>Heliograph</span>
              {subtitle !== undefined && <span className={classes.subtitle}>{subtitle}</span>}
            </Link>
          </Group>
          <Group gap="sm" wrap="nowrap">
            {head}
            <ThemeMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        aria-label={words.menu.label}
        onKeyDown={onKeyDown}
        {...(!isOpen && { className: classes.closed })}
      >
        <ScrollArea type="auto" px="xs" py="sm">
          {sections.map(({ title, links }, index) => (
            <Box key={title ?? index} mb="md">
              {title !== undefined && (
                <Text component="p" className={classes.section}>
                  {title}
                </Text>
              )}
              {links.map((link) => (
                <NavLink
                  key={link.path}
                  component={link.isOutside === true ? 'a' : Link}
                  href={link.path}
                  onClick={leaveMenu}
                  label={link.label}
                  leftSection={<Icon name={link.icon} />}
                  rightSection={link.mark}
                  active={isHere(link.path, path)}
                  aria-current={isHere(link.path, path) ? 'page' : undefined}
                  className={classes.link ?? ''}
                />
              ))}
            </Box>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {banner}
        <OfflineNote />
        <div className={classes.page}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

function isHere(link: string, path: string): boolean {
  return link === path || (link !== '/' && path.startsWith(`${link}/`));
}
