"""What relay and bridge agree on: ids, names, codes and limits; pure."""
